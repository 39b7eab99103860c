//! What a client does with servers that are old, unwilling or hostile.

use super::*;
use crate::ProtocolError::*;

/// The handshake of a 3.8 server with a screen of 20×10.
const HELLO: &[u8] =
    b"RFB 003.008\n\x01\x01\0\0\0\0\0\x14\0\x0a\x20\x18\0\x01\0\xff\0\xff\0\xff\0\x08\x10\0\0\0\0\0\0\x02vm";

/// A client that has received `stream` in one piece, and what came of it.
fn after(stream: &[u8]) -> (Client, Result<(), ProtocolError>) {
    let mut client = Client::new(Options::default());
    let result = client.receive(stream);
    (client, result)
}

/// What comes of `stream` after a handshake, with one update asked for.
fn refusal(stream: &[u8]) -> ProtocolError {
    let (mut client, hello) = after(HELLO);
    hello.unwrap();
    client.take_output();
    client.receive(stream).unwrap_err()
}

/// An update of one rectangle.
fn update(rect: [u16; 4], code: i32, data: &[u8]) -> Vec<u8> {
    let sides = rect.iter().flat_map(|side| side.to_be_bytes());
    [0, 0, 0, 1].into_iter().chain(sides).chain(code.to_be_bytes()).chain(data.iter().copied()).collect()
}

/// `plain` as ZRLE and Zlib have it: a length and a stream.
fn zlib(plain: &[u8]) -> Vec<u8> {
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(plain, 6);
    [&(packed.len() as u32).to_be_bytes()[..], &packed].concat()
}

#[test]
fn every_version_of_the_handshake_ends_in_a_session() {
    let init = &HELLO[18..];
    let old = [b"RFB 003.003\n\0\0\0\x01", init].concat();
    let middle = [b"RFB 003.007\n\x02\x10\x01", init].concat();
    for (stream, answer) in
        [(HELLO, &b"RFB 003.008\n\x01\x01"[..]), (&middle, b"RFB 003.007\n\x01\x01"), (&old, b"RFB 003.003\n\x01")]
    {
        let (mut client, result) = after(stream);
        assert_eq!(result, Ok(()));
        assert_eq!(client.poll(), Some(Event::Connected { width: 20, height: 10, name: "vm".to_owned() }));
        assert!(client.take_output().starts_with(answer));
    }
}

#[test]
fn a_refusal_is_told_with_its_reason() {
    let refused = |stream: &[u8]| {
        let (mut client, result) = after(stream);
        assert_eq!(client.poll(), Some(Event::Disconnected(result.clone().unwrap_err())));
        assert_eq!(client.receive(b"more"), result, "the end is final");
        result.unwrap_err()
    };
    let reason = Refused { reason: "busy".to_owned() };
    assert_eq!(refused(b"RFB 003.008\n\0\0\0\0\x04busy"), reason);
    assert_eq!(refused(b"RFB 003.003\n\0\0\0\0\0\0\0\x04busy"), reason);
    assert_eq!(refused(b"RFB 003.008\n\x01\x01\0\0\0\x01\0\0\0\x04busy"), reason);
    assert_eq!(refused(b"RFB 003.008\n\x02\x02\x13"), NoCommonSecurity { offered: vec![2, 19] });
    assert_eq!(refused(b"RFB 003.003\n\0\0\0\x02"), NoCommonSecurity { offered: vec![2] });
    assert_eq!(refused(b"RFB 003.008\n\x01\x01\0\0\0\x09"), SecurityChoice(9));
    assert_eq!(refused(b"SSH-2.0-OpenSSH"), NotRfb);
}

#[test]
fn a_screen_or_a_name_beyond_the_limits_is_refused() {
    let mut init = HELLO.to_vec();
    init[18..22].fill(255);
    assert_eq!(after(&init).1, Err(ScreenSize { width: 65535, height: 65535 }));
    let mut init = HELLO.to_vec();
    init[38..42].fill(255);
    assert_eq!(after(&init).1, Err(TextTooLong { bytes: u32::MAX }));
}

#[test]
fn each_hostile_message_has_its_own_refusal() {
    let bomb = zlib(&vec![0; 50 << 20]);
    let cases = [
        (update([15, 0, 6, 5], 0, &[]), OutsideScreen(Rect::new(15, 0, 6, 5))),
        (update([65535; 4], 0, &[]), OutsideScreen(Rect::new(65535, 65535, 65535, 65535))),
        (update([0, 0, 9, 9], 1, &[0, 12, 0, 0]), OutsideScreen(Rect::new(12, 0, 9, 9))),
        (
            update([0, 0, 4, 4], 2, &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 3, 0, 2]),
            OutsideScreen(Rect::new(2, 2, 3, 2)),
        ),
        (update([0, 0, 4, 4], 5, &[8, 1, 0x22, 0x20]), OutsideScreen(Rect::new(2, 2, 3, 1))),
        (update([0, 0, 20, 10], 16, &bomb), ZlibSurplus),
        (update([0, 0, 20, 10], 6, &bomb), ZlibSurplus),
        (update([0, 0, 20, 10], 16, &zlib(&[17])), TileType(17)),
        (update([0, 0, 20, 10], 16, &zlib(&[129])), TileType(129)),
        (update([0, 0, 20, 10], 16, &zlib(&[128, 1, 2, 3, 255, 0])), RunTooLong),
        (update([0, 0, 20, 10], 16, &zlib(&[130, 1, 2, 3, 4, 5, 6, 2])), PaletteIndex(2)),
        (update([0, 0, 4, 1], 16, &zlib(&[3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0xff])), PaletteIndex(3)),
        (update([0, 0, 20, 10], 16, &zlib(&[0])), ZlibShort),
        (update([0, 0, 20, 10], 16, &[0, 0, 0, 9, 1, 2, 3, 4]), ZlibCorrupt),
        (update([0, 0, 20, 10], 7, &[0xa0]), TightControl(0xa0)),
        (update([0, 0, 20, 10], 7, &[0x40, 3]), TightFilter(3)),
        (update([0, 0, 20, 10], 7, &[0x90, 4, 1, 2, 3, 4]), JpegCorrupt),
        (update([0, 0, 600, 1], -239, &[]), CursorSize { width: 600, height: 1 }),
        (update([0, 0, 65535, 65535], -314, &[]), CursorSize { width: 65535, height: 65535 }),
        (update([0, 0, 0, 0], -223, &[]), ScreenSize { width: 0, height: 0 }),
        (update([0, 0, 65535, 65535], -308, &[1; 20]), ScreenSize { width: 65535, height: 65535 }),
        (update([0; 4], -307, &[255; 4]), TextTooLong { bytes: u32::MAX }),
        (update([0; 4], 99, &[]), UnknownEncoding(99)),
        (vec![3, 0, 0, 0, 255, 255, 255, 255], TextTooLong { bytes: u32::MAX }),
        (vec![248, 0, 0, 0, 0, 0, 0, 0, 65], FenceTooLong(65)),
        (vec![77], UnknownMessage(77)),
    ];
    for (stream, expected) in cases {
        assert_eq!(refusal(&stream), expected);
    }
}

#[test]
fn an_endless_update_is_cut_off() {
    let copies = [&[0, 0, 255, 255][..], &[0, 0, 0, 0, 0, 20, 0, 10, 0, 0, 0, 1, 0, 0, 0, 0].repeat(20_000)].concat();
    assert_eq!(refusal(&copies), TooMuchPaint);
    let subrects = [&[255; 4][..], &[0; 4], &[0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 10].repeat(20_000)].concat();
    assert_eq!(refusal(&update([0, 0, 20, 10], 2, &subrects)), TooMuchPaint);
}

#[test]
fn pixels_and_sizes_that_nobody_asked_for_are_cut_off() {
    let fill = update([0, 0, 20, 10], 7, &[0x80, 1, 2, 3]);
    assert_eq!(refusal(&fill.repeat(2)), Unrequested);
    let sizes = [update([0, 0, 30, 10], -223, &[]), update([0, 0, 20, 10], -223, &[])].concat();
    assert_eq!(refusal(&sizes.repeat(20)), TooManyResizes);
}

#[test]
fn floods_take_no_memory() {
    let (mut client, _) = after(HELLO);
    while client.poll().is_some() {}
    client.receive(&[2; 100_000]).unwrap();
    client.receive(&b"\x03\0\0\0\0\0\0\x02hi".repeat(1000)).unwrap();
    assert_eq!(client.poll(), Some(Event::Bell));
    assert_eq!(client.poll(), Some(Event::Clipboard("hi".to_owned())));
    assert_eq!(client.poll(), None);
    let fence = [&[248, 0, 0, 0, 128, 0, 0, 0, 64][..], &[0; 64]].concat();
    assert_eq!(client.receive(&fence.repeat(100_000)), Err(OutputNotTaken));
}

#[test]
fn a_fence_is_answered_and_a_colour_map_skipped() {
    let (mut client, _) = after(HELLO);
    client.take_output();
    client.receive(&[1, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6]).unwrap();
    client.receive(&[248, 0, 0, 0, 128, 0, 0, 7, 2, 8, 9]).unwrap();
    assert_eq!(client.take_output(), [248, 0, 0, 0, 0, 0, 0, 7, 2, 8, 9]);
}

#[test]
fn a_picture_is_news_when_its_update_is_complete() {
    let (mut client, _) = after(HELLO);
    client.take_output();
    client.poll();
    let mut stream = vec![0, 0, 0, 2];
    stream.extend_from_slice(&update([0, 0, 2, 2], 7, &[0x80, 1, 2, 3])[4..]);
    client.receive(&stream).unwrap();
    assert_eq!(client.poll(), None);
    client.receive(&update([9, 9, 1, 1], 7, &[0x80, 1, 2, 3])[4..]).unwrap();
    assert_eq!(client.poll(), Some(Event::Damage(Rect::new(0, 0, 2, 2))));
    assert_eq!(client.poll(), Some(Event::Damage(Rect::new(9, 9, 1, 1))));
    assert_eq!(client.framebuffer().pixels()[0], [1, 2, 3, 255]);
}

#[test]
fn a_key_is_never_printed() {
    let key = Key { keysym: 0x61, scancode: 30 };
    assert_eq!(format!("{key:?}"), "Key(..)");
}
