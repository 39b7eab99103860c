//! What a running guest shows: its VNC screen and its serial console, as byte streams.
