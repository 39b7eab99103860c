/**
 * What a console says to the guest: the viewer's half of RFB, read from the frames of its socket.
 *
 * It is what reaches the cluster, since the server only carries bytes. Source: RFC 6143 §7.5, `rfbproto.rst` for the rest.
 */
import type { Page } from "@playwright/test";

/** A key went down or up; X keysyms. */
export interface KeySent {
  down: boolean;
  keysym: number;
}

/** The pointer is somewhere; buttons as RFB has them: 1 left, 8 wheel up, 16 wheel down. */
export interface PointerSent {
  x: number;
  y: number;
  buttons: number;
}

/** All that a console has sent so far, over all its connections. */
export interface Sent {
  keys: KeySent[];
  pointers: PointerSent[];
}

/** Keysyms by the names that tests use. */
export const KEYSYM = { Control: 0xffe3, Alt: 0xffe9, Delete: 0xffff, Shift: 0xffe1, Enter: 0xff0d } as const;

/** Version, security type, ClientInit: what stands before the first message. */
const HANDSHAKE_BYTES = 14;

/** Follows what the consoles of `page` send from now on. */
export function followConsole(page: Page): Sent {
  const sent: Sent = { keys: [], pointers: [] };
  page.on("websocket", (socket) => {
    if (!socket.url().endsWith("/console-stream")) return;
    let unread: Buffer = Buffer.alloc(0);
    let isGreeted = false;
    socket.on("framesent", ({ payload }) => {
      // The ticket goes first, as text.
      if (typeof payload === "string") return;
      unread = Buffer.concat([unread, payload]);
      if (!isGreeted) {
        if (unread.length < HANDSHAKE_BYTES) return;
        isGreeted = true;
        unread = unread.subarray(HANDSHAKE_BYTES);
      }
      unread = readAll(unread, sent);
    });
  });
  return sent;
}

/** Reads whole messages; gives back what is left of the last. */
function readAll(bytes: Buffer, sent: Sent): Buffer {
  for (;;) {
    const length = lengthOf(bytes);
    if (length === undefined || bytes.length < length) return bytes;
    const message = bytes.subarray(0, length);
    bytes = bytes.subarray(length);
    if (message[0] === 4) sent.keys.push({ down: message[1] === 1, keysym: message.readUInt32BE(4) });
    if (message[0] === 255) sent.keys.push({ down: message[3] === 1, keysym: message.readUInt32BE(4) });
    if (message[0] === 5) sent.pointers.push({ buttons: message[1]!, x: message.readUInt16BE(2), y: message.readUInt16BE(4) });
  }
}

/** Bytes of the message that begins here; `undefined` while that cannot be known yet. */
function lengthOf(bytes: Buffer): number | undefined {
  const counted = (at: number, size: number, each: number, head: number) =>
    bytes.length < at + size ? undefined : head + each * bytes.readUIntBE(at, size);
  if (bytes.length === 0) return undefined;
  switch (bytes[0]) {
    case 0: return 20;
    case 2: return counted(2, 2, 4, 4);
    case 3: return 10;
    case 4: return 8;
    case 5: return 6;
    case 6: return counted(4, 4, 1, 8);
    case 150: return 10;
    case 248: return counted(8, 1, 1, 9);
    case 251: return counted(6, 1, 16, 8);
    case 255: return 12;
    default: throw new Error(`the console sent a message of an unknown type: ${bytes[0]}`);
  }
}
