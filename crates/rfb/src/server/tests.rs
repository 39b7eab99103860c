//! What a server does with viewers that are old, foreign or hostile.

use super::*;
use crate::{Client, Event, Framebuffer, Options};

/// A viewer's handshake, up to the first message.
const HELLO: &[u8] = b"RFB 003.008\n\x01\x01";

fn ready() -> Server {
    let mut server = Server::new("vm", 4, 2);
    server.receive(HELLO).unwrap();
    server.take_output();
    server
}

#[test]
fn an_old_viewer_gets_its_own_handshake() {
    let mut server = Server::new("vm", 4, 2);
    server.receive(b"RFB 003.003\n\0").unwrap();
    let said = server.take_output();
    assert_eq!(said[..20], *b"RFB 003.008\n\0\0\0\x01\0\x04\0\x02");
    assert_eq!(server.poll(), Some(Request::Ready { shared: false }));
}

#[test]
fn a_foreign_viewer_gets_its_own_pixels() {
    let mut server = ready();
    let mut screen = Framebuffer::new(4, 2).unwrap();
    screen.fill(screen.area(), [255, 0, 255, 255]);
    // 16 bits, big endian, 5-6-5, no encodings named, so raw.
    server.receive(&[0, 0, 0, 0, 16, 16, 1, 1, 0, 31, 0, 63, 0, 31, 11, 5, 0, 0, 0, 0]).unwrap();
    server.receive(&[3, 0, 0, 0, 0, 0, 0, 2, 0, 1]).unwrap();
    assert!(server.update(&screen));
    let head = [0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0];
    assert_eq!(server.take_output(), [&head[..], &[0xf8, 0x1f, 0xf8, 0x1f]].concat());
}

#[test]
fn a_viewer_that_cannot_resize_sees_the_common_part() {
    let mut server = ready();
    let screen = Framebuffer::new(2, 9).unwrap();
    server.receive(&[3, 0, 0, 0, 0, 0, 0, 4, 0, 2]).unwrap();
    assert!(server.update(&screen));
    assert_eq!(server.take_output()[4..12], [0, 0, 0, 0, 0, 2, 0, 2]);
}

#[test]
fn a_slow_viewer_has_one_update_waiting() {
    let mut server = ready();
    let screen = Framebuffer::new(4, 2).unwrap();
    let ask = [3, 0, 0, 0, 0, 0, 0, 4, 0, 2];
    server.receive(&ask).unwrap();
    assert!(server.wants_update() && server.update(&screen));
    server.receive(&ask).unwrap();
    assert!(!server.wants_update() && !server.update(&screen), "the first was not taken");
    server.take_output();
    assert!(server.update(&screen));
    server.take_output();
    assert!(!server.update(&screen), "nothing was asked for");
}

#[test]
fn a_refused_viewer_learns_why() {
    let mut server = Server::refusing("the ticket is used");
    let mut client = Client::new(Options::default());
    let end = client.receive(&server.take_output()).unwrap_err();
    assert_eq!(end, ProtocolError::Refused { reason: "the ticket is used".to_owned() });
    assert_eq!(client.poll(), Some(Event::Disconnected(end)));
    assert_eq!(server.receive(&client.take_output()), Ok(()));
}

#[test]
fn each_hostile_message_has_its_own_refusal() {
    let cases: [(&[u8], ProtocolError); 6] = [
        (&[2, 0, 255, 255], ProtocolError::TooManyEncodings(65535)),
        (&[6, 0, 0, 0, 255, 255, 255, 255], ProtocolError::TextTooLong { bytes: u32::MAX }),
        (&[248, 0, 0, 0, 0, 0, 0, 0, 200], ProtocolError::FenceTooLong(200)),
        (&[255, 1], ProtocolError::UnknownMessage(1)),
        (&[99], ProtocolError::UnknownMessage(99)),
        (&[0, 0, 0, 0, 24, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0], ProtocolError::PixelFormat),
    ];
    for (stream, expected) in cases {
        assert_eq!(ready().receive(stream), Err(expected));
    }
    assert_eq!(ready().receive(&[4, 1, 0, 0, 0, 0, 0, 9].repeat(40_000)), Err(ProtocolError::RequestsNotPolled));
    let mut server = Server::new("vm", 4, 2);
    assert_eq!(server.receive(b"RFB 003.008\n\x02"), Err(ProtocolError::SecurityChoice(2)));
}
