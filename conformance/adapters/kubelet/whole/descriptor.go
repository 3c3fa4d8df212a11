package main

import (
	"io"

	"golang.org/x/sys/unix"
)

// descriptor is an open file that is read and written by plain system calls. While one of them waits, virtual time
// stands; and what is written stays as it is where the Go runtime would put a header before it (see clock_process.go).
type descriptor int

func (d descriptor) Read(b []byte) (int, error) {
	for {
		switch n, err := unix.Read(int(d), b); {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(d), Events: unix.POLLIN}}, -1)
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (d descriptor) Write(b []byte) (int, error) {
	for done := 0; done < len(b); {
		switch n, err := unix.Write(int(d), b[done:]); {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(d), Events: unix.POLLOUT}}, -1)
		case err != nil:
			return done, err
		default:
			done += n
		}
	}
	return len(b), nil
}

const (
	stdin  = descriptor(0)
	stdout = descriptor(1)
	stderr = descriptor(2)
)

// realMs is the machine's time, in milliseconds, whatever the process takes for its own.
func realMs() int64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return 0
	}
	return now.Nano() / 1e6
}
