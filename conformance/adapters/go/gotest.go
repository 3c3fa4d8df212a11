package adapter

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const serving = "PROBETEST_SERVES"

// Test plays the table against a checker inside `go test`: what `probetest run` selects by these arguments,
// each case a subtest. The command is found along PATH, or is $PROBETEST; it starts the test binary once
// more, as the adapter.
func Test(t *testing.T, checker Checker, selection ...string) {
	if os.Getenv(serving) == t.Name() {
		c := &conversation{bufio.NewScanner(os.Stdin), bufio.NewWriter(os.NewFile(3, "protocol"))}
		c.in.Buffer(nil, 1<<20)
		c.speak(t, checker)
	}
	probetest := os.Getenv("PROBETEST")
	if probetest == "" {
		probetest = "probetest"
	}
	report := filepath.Join(t.TempDir(), "r.jsonl")
	words := append([]string{"run", "--quiet", "--report", report}, selection...)
	words = append(words, "--", "sh", "-c", `exec 3>&1 >&2; exec "$0" "$@"`, os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd := exec.Command(probetest, words...)
	cmd.Env = append(os.Environ(), serving+"="+t.Name())
	said, err := cmd.CombinedOutput()
	result, _ := os.ReadFile(report)
	if len(result) == 0 {
		t.Fatalf("%s: %v\n%s", probetest, err, said)
	}
	for _, line := range strings.Split(string(result), "\n") {
		tell(t, line)
	}
}

// tell makes a case's line of the result file a subtest.
func tell(t *testing.T, line string) {
	var played struct {
		Case, K8s, Verdict, Sentence, Why string
		Timeline                          []struct {
			At          int64
			Wanted, Got string
		}
	}
	if json.Unmarshal([]byte(line), &played) != nil || played.Case == "" {
		return
	}
	t.Run(played.Case+"@"+played.K8s, func(t *testing.T) {
		switch played.Verdict {
		case "pass", "xfail":
		case "skip", "observed", "noisy":
			t.Skip(played.Why)
		default:
			t.Errorf("%s\n%s: %s", played.Sentence, played.Verdict, played.Why)
			for _, m := range played.Timeline {
				t.Logf("%9.3fs  %-46s  %s", float64(m.At)/1000, m.Wanted, m.Got)
			}
		}
	})
}
