package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	utilexec "k8s.io/utils/exec"
)

// ExecSync serves probes and hooks: names.go made each command tell which one.
func (c *fakeCRI) ExecSync(ctx context.Context, id string, cmd []string, timeout time.Duration) ([]byte, []byte, error) {
	if len(cmd) != 2 || (cmd[0] != probeWord && cmd[0] != hookWord) {
		return nil, nil, fmt.Errorf("exec of an unknown command %q", cmd)
	}
	c.lock()
	defer c.leave()
	pod, name, kind := splitKey(cmd[1])
	if kind == "preStop" {
		c.w.killed(c.w.tenant(pod), name)
	}
	n := c.w.nextN()
	e := effect{"n": n, "container": name, "cid": c.cid(pod, id), "type": kind}
	key := id + "/" + kind
	if cmd[0] == hookWord {
		e["e"] = "hook"
	} else {
		e["e"], e["attempt"] = "probe", c.nextAttempt(key)
	}
	c.w.emit(pod, e)
	answer, err := c.wait(ctx, fmt.Sprintf("answer/%d", n))
	if c.life.over.Load() {
		return nil, nil, err
	}
	if cmd[0] == hookWord {
		if err == nil && answer.Result != "success" {
			t := c.w.tenant(pod)
			t.failedHooks = append(t.failedHooks, name+"/"+kind)
		}
		if _, http := c.w.names.paths[cmd[1]]; http && answer.Result == "failure" {
			answer.Result = "error" // an HTTP hook fails with an error alone, which has no exit code
		}
		return execResult(answer, err, c.w.names.commands[cmd[1]], timeout, "")
	}
	last := c.attempts[key]
	last.failed, last.at = err != nil || c.isError(answer.Result), c.w.caseMs()
	c.attempts[key] = last
	return execResult(answer, err, c.w.names.commands[cmd[1]], timeout, cmd[1])
}

func (c *fakeCRI) isError(result string) bool {
	return result == "error" || (result == "timeout" && c.timeoutErr)
}

// nextAttempt counts an attempt: one that follows an error at once is the next of the same round.
func (c *fakeCRI) nextAttempt(key string) int {
	last := c.attempts[key]
	number := 1
	if last.failed && last.at == c.w.caseMs() && last.number < 3 {
		number = last.number + 1
	}
	c.attempts[key] = attempt{number: number}
	return number
}

// execResult is what the CRI client makes of the runtime's reply. key marks the text of a
// probe as its own.
func execResult(e event, err error, command []string, timeout time.Duration, key string) ([]byte, []byte, error) {
	sign := ""
	if key != "" {
		sign = mark(key)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w%s", err, sign)
	}
	switch e.Result {
	case "success":
		return []byte(e.Output), nil, nil
	case "timeout":
		return nil, nil, timeoutError(strings.Join(command, " "), timeout, e.Output, sign)
	case "error":
		return nil, nil, fmt.Errorf("%w%s", rpcError(e.Output), sign)
	}
	code := int(e.Code)
	if code == 0 {
		code = 1
	}
	return []byte(sign + e.Output), nil, utilexec.CodeExitError{
		Err: fmt.Errorf("command '%s' exited with %d: ", strings.Join(command, " "), code), Code: code}
}

// attempt is how the last attempt of a probe ended: errors are tried again at once.
type attempt struct {
	number int
	failed bool
	at     int64
}
