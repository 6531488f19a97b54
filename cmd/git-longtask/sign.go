package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-longtask/git-longtask/gate"
	"github.com/git-longtask/git-longtask/gate/signature"
)

var signFlag = &cli.BoolFlag{Name: "sign", Usage: "sign the record with the SSH key of longtask.signingKey, or of user.signingKey where gpg.format is ssh"}

// signErrors are the reasons why a record is not signed.
var signErrors = []struct {
	is            error
	message, hint string
}{
	{gate.ErrNoKey, "no key to sign with is configured", "name one: git config longtask.signingKey ~/.ssh/id_ed25519.pub"},
	{gate.ErrNoSigners, "nobody is named who may sign for this task", "track " + gate.SignersPath + " before the task is locked, or name a file in longtask.allowedSigners"},
	{signature.ErrMissing, "ssh-keygen, which makes and checks signatures, is not on PATH", "install OpenSSH 8.9 or later"},
	{signature.ErrFailed, "", "look at the key that longtask.signingKey or user.signingKey names"},
	{signature.ErrUnknown, "the key is not one of those that may sign for this task; nothing was written", "let one of the signers do it whom the base of the task names in " + gate.SignersPath},
}

// signError gives the errors of signing their code and remedy.
func signError(err error) error {
	for _, row := range signErrors {
		if !errors.Is(err, row.is) {
			continue
		}
		if row.message == "" {
			row.message = plainly(err, row.is, "the key does not sign")
		}
		return &decideError{Code: row.is.Error(), Message: row.message, Hint: row.hint}
	}
	return err
}
