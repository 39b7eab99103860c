# A boot sector that shows a smooth picture above and a noisy one below, 320x200 with 32 bits a pixel (VBE 0x140).
# as --32 -o colours.o colours.s && objcopy -O binary colours.o colours.bin
.code16
start:  xorw %ax, %ax
        movw %ax, %ds
        movw %ax, %ss
        movw $0x7c00, %sp
        sti
        movw $0x4f02, %ax
        movw $0x0140, %bx
        int $0x10
        xorl %ebp, %ebp         # pixel
        xorw %dx, %dx           # bank of 64 KB
bank:   pushw %dx
        movw $0x4f05, %ax
        xorw %bx, %bx
        int $0x10
        movw $0xa000, %ax
        movw %ax, %es
        xorw %di, %di
        movw $16384, %cx
pixel:  movl %ebp, %eax
        xorl %edx, %edx
        movl $320, %esi
        divl %esi               # eax = y, edx = x
        cmpl $180, %eax
        jae noise
        movl %edx, %ebx
        shrl $1, %ebx
        shll $16, %ebx
        andl $~3, %eax          # four rows alike, so that a recording is short
        movl %eax, %esi
        addl %edx, %esi
        shrl $2, %esi
        orl %esi, %ebx
        shll $8, %eax
        orl %ebx, %eax
        jmp store
noise:  imull $1664525, %ebp, %eax
        imull %ebp, %eax
        shrl $8, %eax
        andl $0x3f3f3f, %eax
store:  stosl
        incl %ebp
        loop pixel
        popw %dx
        incw %dx
        cmpw $4, %dx
        jb bank
stop:   hlt
        jmp stop
        .org 510
        .word 0xaa55
