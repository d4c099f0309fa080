// Package fleet tests a fleet: servers as real processes, joined by a real NATS server in
// the test's process. It is here because the NATS server is in no program of ours.
package fleet
