//! What our server encodes, our client decodes: every encoding, every kind of picture, cut anywhere.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod common;

use common::{KINDS, carry, catch_up, events, only, picture};
use rfb::{Buttons, Client, Cursor, Encoding, Event, Framebuffer, Key, Leds, Options, Rect, Request, Server, Wheel};

#[test]
fn every_picture_survives_every_encoding() {
    for encoding in Encoding::ALL {
        for kind in 0..KINDS {
            // Sides that are no multiple of any tile, and one screen of few pixels.
            for (width, height) in [(150, 83), (1, 1), (5, 3), (257, 64)] {
                let (mut client, mut server) = (Client::new(only(encoding)), Server::new("test", width, height));
                let mut screen = picture(kind, width, height);
                catch_up(&mut client, &mut server, &mut screen);
                let same = client.framebuffer().bytes() == screen.bytes();
                assert!(same, "{encoding:?} changed picture {kind} of {width}×{height}");
            }
        }
    }
}

#[test]
fn a_session_of_many_updates_keeps_its_streams_in_step() {
    for encoding in Encoding::ALL {
        let (mut client, mut server) = (Client::new(only(encoding)), Server::new("test", 160, 120));
        let mut screen = picture(8, 160, 120);
        for round in 0..40u16 {
            let patch = picture(u32::from(round) % KINDS, 37, 29);
            screen.put(Rect::new(round * 3 % 140, round * 7 % 110, 37, 29), patch.pixels());
            if round % 3 == 0 {
                let to = Rect::new(5, 9, 100, 80);
                screen.copy(8, 4, to);
                server.copied(8, 4, to);
            }
            catch_up(&mut client, &mut server, &mut screen);
            assert!(client.framebuffer().bytes() == screen.bytes(), "{encoding:?}, round {round}");
        }
    }
}

/// The network may cut the stream anywhere; what comes out must not depend on it.
#[test]
fn events_and_pixels_do_not_depend_on_where_the_stream_is_cut() {
    for encoding in Encoding::ALL {
        let (session, screen) = record(encoding);
        let (whole, pixels) = replay(encoding, &[&session]);
        assert_eq!(pixels, screen.bytes());
        assert!(whole.len() > 5, "the session has events of many kinds");
        for at in 0..=session.len() {
            let (head, tail) = session.split_at(at);
            let cut = replay(encoding, &[head, tail]);
            assert_eq!(cut.0, whole, "{encoding:?} cut at byte {at}");
            assert!(cut.1 == pixels, "{encoding:?} cut at byte {at}");
        }
        let bytes: Vec<&[u8]> = session.chunks(1).collect();
        assert!(replay(encoding, &bytes) == (whole, pixels), "{encoding:?} byte by byte");
    }
}

#[test]
fn input_arrives_as_it_was_made() {
    let (mut client, mut server) = (Client::new(Options::default()), Server::new("test", 64, 48));
    catch_up(&mut client, &mut server, &mut picture(0, 64, 48));
    client.press(Key { keysym: 0x61, scancode: 30 }, true);
    client.point(70, 10, Buttons::LEFT);
    client.wheel(Wheel::Down);
    client.release_keys();
    client.clipboard("é中");
    carry(&mut client, &mut server);
    let key = Key { keysym: 0x61, scancode: 30 };
    let seen: Vec<_> = std::iter::from_fn(|| server.poll()).collect();
    let pointer = |buttons| Request::Pointer { x: 63, y: 10, buttons: Buttons(buttons) };
    let expected = [
        Request::Ready { shared: true },
        Request::Key { key, down: true },
        pointer(1),
        pointer(1 | 16),
        pointer(1),
        Request::Key { key, down: false },
        Request::Clipboard("é?".to_owned()),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_viewer_follows_a_new_size() {
    let (mut client, mut server) = (Client::new(Options::default()), Server::new("test", 64, 48));
    catch_up(&mut client, &mut server, &mut picture(1, 64, 48));
    assert!(client.can_resize());
    client.request_size(80, 60);
    carry(&mut client, &mut server);
    assert!(std::iter::from_fn(|| server.poll()).any(|it| it == Request::Resize { width: 80, height: 60 }));
    let mut screen = picture(2, 80, 60);
    catch_up(&mut client, &mut server, &mut screen);
    assert!(events(&mut client).contains(&Event::Resized { width: 80, height: 60 }));
    assert!(client.framebuffer().bytes() == screen.bytes());
}

#[test]
fn a_paused_viewer_asks_for_nothing() {
    let (mut client, mut server) = (Client::new(Options::default()), Server::new("test", 64, 48));
    let mut screen = picture(0, 64, 48);
    catch_up(&mut client, &mut server, &mut screen);
    client.pause();
    screen.fill(Rect::new(0, 0, 9, 9), [1, 1, 1, 255]);
    catch_up(&mut client, &mut server, &mut screen); // answers the request that was out already
    screen.fill(Rect::new(0, 0, 9, 9), [2, 2, 2, 255]);
    catch_up(&mut client, &mut server, &mut screen);
    assert_eq!(client.framebuffer().pixels()[0], [1, 1, 1, 255]);
    client.resume();
    catch_up(&mut client, &mut server, &mut screen);
    assert_eq!(client.framebuffer().pixels()[0], [2, 2, 2, 255]);
}

/// A session with everything in it, as the server said it, and the screen at its end.
fn record(encoding: Encoding) -> (Vec<u8>, Framebuffer) {
    let (mut client, mut server) = (Client::new(only(encoding)), Server::new("päris", 40, 30));
    let mut screen = picture(2, 40, 30);
    let mut session = catch_up(&mut client, &mut server, &mut screen);
    server.set_cursor(Cursor { width: 9, height: 2, hot_x: 3, hot_y: 1, rgba: [200, 100, 50, 255].repeat(18) });
    server.set_leds(Leds { num_lock: true, ..Leds::default() });
    server.set_absolute_pointer(true);
    server.bell();
    server.clipboard("grüezi");
    let patch = picture(3, 20, 20);
    screen.put(Rect::new(10, 5, 20, 20), patch.pixels());
    session.extend(catch_up(&mut client, &mut server, &mut screen));
    screen.copy(0, 0, Rect::new(8, 9, 20, 20));
    server.copied(0, 0, Rect::new(8, 9, 20, 20));
    session.extend(catch_up(&mut client, &mut server, &mut screen));
    let mut larger = picture(5, 50, 33);
    session.extend(catch_up(&mut client, &mut server, &mut larger));
    (session, larger)
}

fn replay(encoding: Encoding, pieces: &[&[u8]]) -> (Vec<Event>, Vec<u8>) {
    let mut client = Client::new(only(encoding));
    for piece in pieces {
        client.receive(piece).unwrap();
        client.take_output();
    }
    (events(&mut client), client.framebuffer().bytes().to_vec())
}
