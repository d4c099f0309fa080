package danger

import (
	"cmp"
	"strings"
)

// diskRule judges the commands that write to disks and file systems as a whole.
func diskRule(name string) func(*command) stream {
	if strings.HasPrefix(name, "mkfs") || name == "mke2fs" || name == "mkswap" || name == "mkntfs" || name == "newfs" {
		return mkfs
	}
	switch name {
	case "dd", "dcfldd", "ddrescue":
		return dd
	case "wipefs":
		return looks(onDevice("erases the signatures by which a disk's contents are found"), "n", "no-act").only("a", "all", "o", "offset")
	case "fdisk", "cfdisk", "gdisk", "cgdisk", "sfdisk", "sgdisk", "parted", "gparted", "fdformat":
		return partition
	case "tune2fs", "xfs_repair", "fsck", "e2fsck", "fsck.ext4", "ntfsfix", "debugfs":
		changes := map[string]string{"tune2fs": "O", "xfs_repair": "L", "debugfs": "w"}
		return looks(onDevice("changes a file system so that what is in it may be lost"), "n", "N").only(cmp.Or(changes[name], "y"))
	case "resize2fs":
		return func(c *command) stream {
			if _, ops := c.split("dSz"); len(ops) > 1 {
				return onDevice("changes the size of a file system")(c)
			}
			return stream{}
		}
	case "resize.f2fs", "growpart", "pvcreate", "vgcreate", "mkdosfs", "bcachefs", "partclone.restore":
		return looks(onDevice("writes to a device, over what is on it"))
	case "nwipe", "f3probe", "scrub", "srm":
		return looks(onDevice("erases a disk"))
	case "blkdiscard", "badblocks", "hdparm", "nvme", "sg_format":
		return erase
	case "cryptsetup", "lvremove", "vgremove", "pvremove", "lvreduce", "mdadm", "zpool", "zfs", "btrfs", "diskutil", "dmsetup":
		return volume
	case "swapoff", "umount", "mount":
		return mount
	case "grub-install", "efibootmgr", "flashrom", "update-initramfs", "bootctl":
		return boot
	}
	return nil
}

// A ruling is what judges a command, for putting together small ones.
type ruling func(*command) stream

// looks returns a ruling that lets pass what only looks: a call with one of the
// options, or for help.
func looks(r ruling, harmless ...string) ruling {
	return func(c *command) stream {
		opts, _ := c.split("")
		if opts.has(append(harmless, "help", "version", "V", "h")...) {
			return stream{}
		}
		return r(c)
	}
}

// only returns a ruling for calls with one of the options.
func (r ruling) only(wanted ...string) ruling {
	return func(c *command) stream {
		if opts, _ := c.split(""); opts.has(wanted...) {
			return r(c)
		}
		return stream{}
	}
}

// onDevice returns a ruling for calls that name a device.
func onDevice(why string) ruling {
	return func(c *command) stream {
		for _, a := range c.args {
			if c.spot(a.s).kind == atDevice {
				c.k.add("disk", c.line(), why)
			}
		}
		return stream{}
	}
}

func mkfs(c *command) stream {
	return looks(onDevice("makes a new file system, over what is on the device"), "n", "l")(c)
}

func dd(c *command) stream {
	for _, a := range c.args {
		if to, ok := strings.CutPrefix(a.s, "of="); ok {
			c.writes(to, false)
		}
		if from, ok := strings.CutPrefix(a.s, "if="); ok {
			c.readsFile(from, "")
		}
	}
	return stream{taint: c.in.taint}
}

// partition judges the editors of partition tables: all but listing changes them.
func partition(c *command) stream {
	opts, ops := c.split("bcsuwWHSotN")
	if opts.has("l", "list", "d", "dump", "J", "json", "p", "print", "V", "v", "version", "help", "h", "F", "T", "verify", "x") && !opts.has("delete", "zap-all", "Z", "z") || c.any("print") {
		return stream{}
	}
	for _, o := range ops {
		if c.spot(o.s).kind == atDevice {
			c.k.add("disk", c.line(), "changes the partitions of a disk")
		}
	}
	for _, v := range opts {
		if strings.HasPrefix(v, "/dev/") && opts.has("s", "script") {
			c.k.add("disk", c.line(), "changes the partitions of a disk")
		}
	}
	return stream{}
}

// erase judges what empties a disk.
func erase(c *command) stream {
	opts, _ := c.split("")
	wipes := c.name == "blkdiscard" || c.name == "sg_format" || c.name == "badblocks" && opts.has("w", "n") ||
		c.name == "nvme" && (c.arg(0) == "format" || c.arg(0) == "sanitize")
	for o := range opts {
		wipes = wipes || c.name == "hdparm" && strings.HasPrefix(o, "security-erase")
	}
	if wipes {
		return onDevice("erases a disk")(c)
	}
	return stream{}
}

// volume judges what destroys volumes, pools and encrypted disks.
func volume(c *command) stream {
	verb, second := c.arg(0), c.arg(1)
	opts, _ := c.split("")
	bad := false
	switch c.name {
	case "cryptsetup":
		bad = c.any("luksFormat", "erase", "luksErase", "luksKillSlot", "luksRemoveKey", "reencrypt")
	case "lvremove", "vgremove", "pvremove", "lvreduce":
		bad = !opts.has("help", "h", "test", "t")
	case "mdadm":
		bad = opts.has("zero-superblock", "stop", "S", "create", "C", "remove")
	case "zpool", "zfs":
		bad = verb == "destroy" || verb == "labelclear" || verb == "rollback"
		bad = (bad || verb == "create" && c.name == "zpool" && opts.has("f")) && !opts.has("n")
	case "btrfs":
		bad = verb == "subvolume" && second == "delete" || verb == "device" && second == "delete"
	case "diskutil":
		bad = strings.HasPrefix(verb, "erase") || strings.HasPrefix(verb, "partition") || verb == "apfs" && strings.HasPrefix(second, "delete") || verb == "zeroDisk" || verb == "secureErase"
	case "dmsetup":
		bad = verb == "remove" || verb == "remove_all" || verb == "wipe_table"
	}
	if bad {
		c.k.add("disk", c.line(), "destroys a volume, a pool or the key to its data")
	}
	return stream{}
}

// mount judges taking away the root or swap.
func mount(c *command) stream {
	opts, ops := c.split("ot")
	switch {
	case c.name == "swapoff" && opts.has("a"), c.name == "umount" && opts.has("a", "all"):
		c.k.add("machine", c.line(), "takes away swap or file systems from all that runs")
	case c.name == "umount", c.name == "mount" && strings.Contains(opts["o"], "remount"):
		for _, o := range ops {
			if o.s == "/" || o.s == "/home" || o.s == "/usr" || o.s == "/var" {
				c.k.add("machine", c.line(), "takes a file system away from all that runs")
			}
		}
	}
	return stream{}
}

// boot judges what changes how the machine starts.
func boot(c *command) stream {
	opts, ops := c.split("bLlpdn")
	if c.name == "efibootmgr" && !opts.has("B", "b", "o", "c", "O", "D") || c.name == "bootctl" && !c.any("install", "remove") || c.name == "flashrom" && !opts.has("w", "E") ||
		c.name == "update-initramfs" && !opts.has("d") || opts.has("help", "version") || len(ops) == 0 && c.name == "grub-install" {
		return stream{}
	}
	c.k.add("disk", c.line(), "changes how the machine starts")
	return stream{}
}
