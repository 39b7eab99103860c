# A boot sector that fills the text screen with random characters and colours, about 18 times a second.
# as --32 -o noise.o noise.s && objcopy -O binary noise.o noise.bin
.code16
start:  xorw %ax, %ax
        movw %ax, %ss
        movw $0x7c00, %sp
        movw $0xb800, %ax
        movw %ax, %es
        movl $0x12345678, %ebx
        sti
again:  xorw %di, %di
        movw $2000, %cx
cell:   imull $1664525, %ebx, %ebx
        addl $1013904223, %ebx
        movl %ebx, %eax
        shrl $16, %eax
        stosw
        loop cell
        hlt
        jmp again
        .org 510
        .word 0xaa55
