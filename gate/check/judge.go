package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-longtask/git-longtask/contract"
	"github.com/git-longtask/git-longtask/gate/check/evidence"
	"github.com/git-longtask/git-longtask/gate/check/process"
)

// judge decides what an execution means for the spec. Specs that share a run
// are each judged over the same execution.
func judge(place Place, spec Spec, ex execution) Result {
	r := newResult(spec, ex)
	secret := secrets(place, spec)
	leak, leaked := leakedInBytes(secret, append([][]byte{ex.exit.Stdout, ex.exit.Stderr, ex.evidence}, ex.reports...)...)
	if b := ex.obstacle(spec); b != nil {
		return r.stop(spec, *b, tail(place, ex, secret))
	}
	if leaked {
		return r.stop(spec, leakBarrier(spec, leak), nil)
	}
	parsed, err := ex.read(spec)
	// Decoding undoes escapes, and an error may quote what was decoded.
	said := []any{parsed.observations, parsed.blocked, fmt.Sprint(err)}
	if leak, leaked = leakedInValue(secret, said); leaked {
		return r.stop(spec, leakBarrier(spec, leak), nil)
	}
	r.OutputSHA256 = sum(append([][]byte{ex.exit.Stdout, ex.exit.Stderr, ex.evidence}, ex.reports...)...)
	r.report = parsed.report
	if err != nil {
		return r.stop(spec, invalidBarrier(spec, ex, err), tail(place, ex, secret))
	}
	if parsed.blocked != "" {
		return r.stop(spec, barrier{BlockedExternal, string(BlockedExternal),
			fmt.Sprintf("%s says that it is blocked from outside: %s.", spec.ID(), parsed.blocked), ""}, nil)
	}
	r.Observations = parsed.observations
	r.evaluate(place, spec, ex)
	return r
}

func newResult(spec Spec, ex execution) Result {
	r := Result{
		InternalID: spec.ID(), CheckKey: spec.Check.Key, EvidenceAdapter: spec.adapter(), Proof: proofOf(spec),
		ExecutionIdentity: spec.Identity(), RawExecutionIdentity: spec.RawIdentity(),
		Argv0: ex.argv0, ExitCode: ex.exit.Code, DurationMS: ex.exit.Duration.Milliseconds(), Attempts: ex.attempts,
		AssertionResults: []AssertionResult{}, Observations: map[string]any{}, ArtifactHashes: map[string]string{},
		ClaimProofs: []string{}, Findings: []contract.Finding{}, started: ex.started(),
	}
	if spec.Outcome != "" {
		r.OutcomeKey = &spec.Outcome
	}
	return r
}

// started tells whether the command came to run and was not interrupted.
func (ex execution) started() bool {
	switch ex.exit.Cause {
	case process.NotStarted, process.Lost, process.Interrupted:
		return false
	}
	return ex.barrier == nil
}

// obstacle is why a run is no evidence whatever it printed, nil when it may be.
func (ex execution) obstacle(spec Spec) *barrier {
	infrastructure := func(code, format string, args ...any) *barrier {
		return &barrier{InfrastructureError, code, fmt.Sprintf("%s ", spec.ID()) + fmt.Sprintf(format, args...), ""}
	}
	switch {
	case ex.barrier != nil:
		return ex.barrier
	case ex.exit.Cause == process.Interrupted:
		return &barrier{Interrupted, string(Interrupted), fmt.Sprintf("%s was interrupted before it ended.", spec.ID()), ""}
	case ex.exit.Cause == process.TimedOut:
		limit := time.Duration(spec.Check.Runner.TimeoutMS) * time.Millisecond
		return infrastructure(string(InfrastructureError), "did not end within its timeout_ms of %v and was ended with all its processes.", limit)
	case ex.exit.Cause == process.TooLong:
		return infrastructure(codeOutputLimit, "printed more than %d bytes on stdout and stderr together and was ended.", OutputLimit)
	case ex.exit.Cause == process.NotStarted:
		return infrastructure(string(InfrastructureError), "could not be started: %s.", ex.exit.Problem)
	case ex.exit.Cause == process.Lost:
		return infrastructure(string(InfrastructureError), "gave no result: %s.", ex.exit.Problem)
	}
	return nil
}

func leakBarrier(spec Spec, name string) barrier {
	return barrier{InvalidEvidence, codeSecret,
		fmt.Sprintf("%s printed the value of the environment variable %s; its output was thrown away.", spec.ID(), name),
		"Make the check keep the value to itself."}
}

func invalidBarrier(spec Spec, ex execution, err error) barrier {
	message := fmt.Sprintf("%s gave no valid evidence: %v.", spec.ID(), err)
	if ex.exit.Code != 0 {
		message = fmt.Sprintf("%s %s and gave no valid evidence: %v.", spec.ID(), ended(ex.exit), err)
	}
	if errors.Is(err, evidence.ErrNotFresh) {
		message = fmt.Sprintf("%s gave results that are not of this run: %s.", spec.ID(), strings.TrimPrefix(err.Error(), evidence.ErrNotFresh.Error()+": "))
		return barrier{InvalidEvidence, evidence.ErrNotFresh.Error(), message, freshHint(spec)}
	}
	return barrier{InvalidEvidence, string(InvalidEvidence), message, adapterHint(spec)}
}

func ended(exit process.Exit) string {
	if exit.Signal != "" {
		return "was ended by " + exit.Signal
	}
	return fmt.Sprintf("ended with exit code %d", exit.Code)
}

// stop ends a result for which no observation counts. Its assertions are
// listed as failed, but only the barrier is a finding.
func (r Result) stop(spec Spec, b barrier, refs map[string]any) Result {
	r.Status = b.status
	r.Findings = append(r.Findings, spec.finding(b.code, b.message, b.hint, refs))
	r.AssertionResults = assertionResults(spec, nil)
	return r
}

// evaluate fills in everything that depends on the observations.
func (r *Result) evaluate(place Place, spec Spec, ex execution) {
	bad := ex.exit.Code != 0 || ex.exit.Signal != ""
	if bad {
		r.Findings = append(r.Findings, spec.finding(string(TestFailed),
			fmt.Sprintf("%s %s; only exit code 0 can pass.", spec.ID(), ended(ex.exit)), "", tail(place, ex, secrets(place, spec))))
	}
	if problem := reportProblem(spec, r.Observations); problem != "" && !bad {
		bad = true
		r.Findings = append(r.Findings, spec.finding(string(TestFailed), fmt.Sprintf("%s %s.", spec.ID(), problem), "", tail(place, ex, secrets(place, spec))))
	}
	missing := r.collectArtifacts(place, spec)
	r.AssertionResults = assertionResults(spec, r.Observations)
	failed := false
	for _, a := range r.AssertionResults {
		if a.Code != "" {
			failed = true
			r.Findings = append(r.Findings, spec.assertionFinding(a))
		}
	}
	if f, ok := spec.populationFinding(r.Observations); ok {
		failed = true
		r.Findings = append(r.Findings, f)
	}
	switch {
	case bad:
		r.Status = TestFailed
	case missing:
		r.Status = InvalidEvidence
	case failed:
		r.Status = AssertionFailed
	default:
		r.Status = Passed
		r.ClaimProofs = spec.claims()
	}
}

// claims are the full ids of what a passed check proves.
func (s Spec) claims() []string {
	proofs := []string{}
	for _, a := range slices.Concat(s.Check.PositiveAssertions, s.Check.NegativeAssertions) {
		for _, c := range a.Claims {
			proofs = append(proofs, s.scope()+"."+c)
		}
	}
	if s.Population != nil {
		for _, c := range s.Population.Claims {
			proofs = append(proofs, s.scope()+"."+c)
		}
	}
	slices.Sort(proofs)
	return slices.Compact(proofs)
}
