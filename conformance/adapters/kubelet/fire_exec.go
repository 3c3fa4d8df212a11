package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	utilexec "k8s.io/utils/exec"
)

// process plays the runtime for the exec handler: a process of this machine, in a group of its own.
// It is what the prober hands to the handler, which up to 1.19 takes the combined output and later
// starts it with a writer.
type process struct {
	utilexec.Cmd // nil: a method that no handler calls panics

	argv    []string
	timeout time.Duration
	writer  io.Writer
}

func (p *process) SetStdout(w io.Writer) { p.writer = w }

func (p *process) SetStderr(w io.Writer) { p.writer = w }

func (p *process) CombinedOutput() ([]byte, error) { return p.run() }

func (p *process) Start() error {
	out, err := p.run()
	if p.writer != nil {
		_, _ = p.writer.Write(out) // the handler's limit is no error of the command
	}
	return err
}

func (p *process) Wait() error { return nil }

// init undoes what nohup does: a signal that is ignored would be ignored by each command too; one
// that is caught is not.
func init() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}

// run is ExecSync: what the process wrote, stdout before stderr, and how it ended.
func (p *process) run() ([]byte, error) {
	if len(p.argv) == 0 {
		return nil, errors.New("no command specified")
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	late := time.AfterFunc(p.timeout, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	inTime := late.Stop()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whatever it left behind
	if !inTime {
		return nil, timeoutError(deadlineExceeded, p.argv, p.timeout)
	}
	out := append(stdout.Bytes(), stderr.Bytes()...)
	if exit, ended := err.(*exec.ExitError); ended {
		return out, utilexec.CodeExitError{Err: err, Code: exitCode(exit)}
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// deadlineExceeded is the runtime's text, which up to 1.19 reached the prober as it was.
const deadlineExceeded = "rpc error: code = DeadlineExceeded desc = context deadline exceeded"

// exitCode is 128 and the signal where one ended the process.
func exitCode(exit *exec.ExitError) int {
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}
