package main

import (
	"slices"
	"strings"
)

// commands is the table: everything the program can be asked.
func commands() []*command {
	return slices.Concat([]*command{
		helpCommand(),
		hookCommand(),
		completeCommand(),
		completionCommand(),
		initCommand(),
		installCommand(),
		uninstallCommand(),
		versionCommand(),
		doctorCommand(),
		tasksCommand(),
		preflightCommand(),
		compileCommand(),
		approveCommand(),
		explainCommand(),
		statusCommand(),
		resumeCommand(),
		logCommand(),
		showCommand(),
		verifyCommand(),
		scopeCommand(),
		finalGateCommand(),
		stopCheckCommand(),
		closeCommand(),
		abandonCommand(),
		syncCommand(),
		ciCommand(),
		demoCommand(),
		sourceMarkCommand(),
		contextInitCommand(),
		contextRouteCommand(),
		contextSearchCommand(),
		contextCheckCommand(),
		contextDoctorCommand(),
	}, planned())
}

// find looks a command up by name or alias.
func find(table []*command, name string) *command {
	for _, c := range table {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c
		}
	}
	return nil
}

// hasGroup tells whether name is the first word of two-word commands.
func hasGroup(table []*command, name string) bool {
	return slices.ContainsFunc(table, func(c *command) bool { return strings.HasPrefix(c.Name, name+" ") })
}

// retired names of the tool this one replaces, and what to use instead.
var retired = map[string]string{
	"delivery-set":        "one contract per task: git longtask init <workdir>; several tasks live side by side, see git longtask tasks",
	"composite-campaign":  "one contract with several outcomes and depends_on between them, then: git longtask compile <workdir>",
	"composite-long-task": "one contract with several outcomes and depends_on between them, then: git longtask compile <workdir>",
	"normal-long-task":    "a delivery contract, then: git longtask compile <workdir>",
}
