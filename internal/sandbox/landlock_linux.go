package sandbox

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Package go-landlock defines the versions of the kernel's interface and their rights. The
// maintainers of Landlock maintain it. It is imported only in this file.

// landlockVersion returns the version of the kernel's interface, or 0 if there is none.
func landlockVersion() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// landlockConfigs contains the restrictions by version. Versions from 10 also restrict UDP. These
// versions are not used, because Policy.Ports is for TCP, and programs need UDP to look up names.
var landlockConfigs = []landlock.Config{
	{}, landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6, landlock.V7, landlock.V8, landlock.V9,
}

// rights are the operations that are allowed on a file or in a hierarchy.
type rights = landlock.AccessFSSet

const (
	listRights   rights = ll.AccessFSReadDir // to list directories
	readRights   rights = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	fileRights   rights = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
	deviceRights rights = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
	// writeRights omits only the creation of devices: root could create one for any disk.
	writeRights rights = readRights | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRefer |
		ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym
)

// restrictLandlock enforces g, and the rules of j's Policy for ports, signals and
// sockets. If g is nil, as with bwrap, files are not restricted.
func restrictLandlock(j *Job, g grants) error {
	version := min(landlockVersion(), len(landlockConfigs)-1)
	if version == 0 {
		return nil // Support.Missing reports that the kernel has no Landlock
	}
	cfg, p := landlockConfigs[version], j.Policy
	if g == nil {
		cfg.HandledAccessFS = 0
	}
	if p.Network != NetworkPorts {
		cfg.HandledAccessNet = 0
	}
	if p.Sockets {
		cfg.HandledAccessFS &^= ll.AccessFSResolveUnix
		cfg.Scoped &^= ll.ScopeAbstractUnixSocket
	}
	var rules []landlock.Rule
	for granted, paths := range g {
		known := granted & cfg.HandledAccessFS
		rules = append(rules, landlock.PathAccess(known, paths...).IgnoreIfMissing())
	}
	if cfg.HandledAccessNet != 0 {
		cfg.HandledAccessNet = ll.AccessNetConnectTCP
		for _, port := range p.Ports {
			rules = append(rules, landlock.ConnectTCP(port))
		}
	}
	if err := cfg.Restrict(rules...); err != nil {
		return fmt.Errorf("enforce Landlock: %w", err)
	}
	return nil
}
