//! A serial console: a login prompt and a shell of a few words, over plain bytes.
//!
//! Pure but for [`play`]: bytes in, bytes out. It keeps no password and prints none.

use super::Guest;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// Longest line that is kept.
const LINE: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Asks {
    Login,
    Password(String),
    Command(String),
}

/// The session of one line.
#[derive(Debug)]
pub(super) struct Shell {
    guest: Guest,
    asks: Asks,
    line: String,
    /// The last byte was a carriage return, so a line feed belongs to it.
    after_return: bool,
    greeted: bool,
}

impl Shell {
    /// A line at its login prompt.
    pub(super) fn new(guest: &Guest) -> Self {
        Self { guest: guest.clone(), asks: Asks::Login, line: String::new(), after_return: false, greeted: false }
    }

    /// What appears when somebody connects.
    pub(super) fn greet(&mut self) -> String {
        if std::mem::replace(&mut self.greeted, true) {
            return String::new();
        }
        format!("\r\n{} ttyS0\r\n\r\n{}", self.guest.system, self.prompt())
    }

    fn prompt(&self) -> String {
        match &self.asks {
            Asks::Login => format!("{} login: ", self.guest.name),
            Asks::Password(_) => "Password: ".to_owned(),
            Asks::Command(user) => format!("[{user}@{} ~]$ ", self.guest.name),
        }
    }

    /// What appears when these bytes are typed.
    pub(super) fn typed(&mut self, bytes: &[u8]) -> String {
        let mut out = String::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\r' | b'\n' => {
                    out.push_str("\r\n");
                    let line = std::mem::take(&mut self.line);
                    out.push_str(&self.entered(line.trim()));
                    out.push_str(&self.prompt());
                }
                3 => {
                    self.line.clear();
                    out.push_str("^C\r\n");
                    out.push_str(&self.prompt());
                }
                4 if self.line.is_empty() => {
                    self.asks = Asks::Login;
                    out.push_str("\r\nlogout\r\n");
                    out.push_str(&self.prompt());
                }
                8 | 127 => {
                    let was_erased = self.line.pop().is_some();
                    out.push_str(if was_erased && !self.is_secret() { "\u{8} \u{8}" } else { "" });
                }
                byte if byte >= 32 && self.line.len() < LINE => {
                    self.line.push(char::from(byte));
                    if !self.is_secret() {
                        out.push(char::from(byte));
                    }
                }
                _ => {}
            }
        }
        out
    }

    fn is_secret(&self) -> bool {
        matches!(self.asks, Asks::Password(_))
    }

    fn entered(&mut self, line: &str) -> String {
        match self.asks.clone() {
            Asks::Login if line.is_empty() => String::new(),
            Asks::Login => {
                self.asks = Asks::Password(line.to_owned());
                String::new()
            }
            Asks::Password(user) => {
                self.asks = Asks::Command(user);
                format!("Welcome to {}\r\n\r\n", self.guest.system)
            }
            Asks::Command(user) => self.command(&user, line),
        }
    }

    fn command(&mut self, user: &str, line: &str) -> String {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" => String::new(),
            "whoami" => format!("{user}\r\n"),
            "hostname" => format!("{}\r\n", self.guest.name),
            "uname" => "Linux\r\n".to_owned(),
            "echo" => format!("{rest}\r\n"),
            "ip" | "ifconfig" => format!("eth0: {}\r\n", self.guest.address),
            "help" => "whoami hostname uname echo ip clear exit\r\n".to_owned(),
            "clear" => "\u{1b}[2J\u{1b}[H".to_owned(),
            "exit" | "logout" => {
                self.asks = Asks::Login;
                "logout\r\n\r\n".to_owned()
            }
            other => format!("-bash: {other}: command not found\r\n"),
        }
    }
}

/// Plays a line on a stream until the client is gone; gives the session back.
pub(super) async fn play(mut shell: Shell, mut stream: DuplexStream) -> Shell {
    let mut out = shell.greet();
    let mut buffer = [0; 1024];
    loop {
        if stream.write_all(out.as_bytes()).await.is_err() {
            return shell;
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return shell,
            Ok(length) => out = shell.typed(&buffer[..length]),
        }
    }
}
