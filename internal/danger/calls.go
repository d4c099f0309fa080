package danger

// calls are the calls that matter, by language and by the end of their name:
// "os.system" is found as system, "run" only after subprocess.
var calls = map[Lang]map[string]effect{
	Python: {
		"os.system": doesShell, "system": doesShell, "os.popen": doesShell, "popen": doesShell, "subprocess.run": doesShell, "subprocess.call": doesShell,
		"check_call": doesShell, "check_output": doesShell, "Popen": doesShell, "getoutput": doesShell, "getstatusoutput": doesShell,
		"create_subprocess_shell": doesShell, "create_subprocess_exec": doesShell, "pty.spawn": doesShell, "execvp": doesShell, "execv": doesShell, "execl": doesShell,
		"execlp": doesShell, "spawnlp": doesShell, "spawnvp": doesShell, "posix_spawn": doesShell,
		"rmtree": doesTree, "remove_tree": doesTree, "os.remove": doesFile, "os.unlink": doesFile, "os.rmdir": doesFile, "unlink": doesFile, "removedirs": doesTree,
		"open": doesOpen, "write_text": doesWrite, "write_bytes": doesWrite, "truncate": doesWrite,
		"read_text": doesRead, "read_bytes": doesRead, "shutil.move": doesWrite,
		"os.kill": doesKill, "killpg": doesKill, "exec": doesCode, "eval": doesCode, "execute": doesSQL, "executescript": doesSQL, "read_sql": doesSQL,
		"fork": doesFork, "forkpty": doesFork, "os.rename": doesMove, "os.renames": doesMove, "os.replace": doesMove, "move": doesMove, "copy": doesCopy, "copyfile": doesCopy, "copy2": doesCopy, "copytree": doesCopy,
		"os.symlink": doesCopy, "os.link": doesCopy, "os.chmod": doesMode, "os.chown": doesMode, "lchmod": doesMode, "drop_all": doesDrop, "drop_database": doesDrop, "drop_collection": doesDrop, "flushall": doesDrop, "flushdb": doesDrop,
		"map": doesEach, "pexpect.run": doesShell, "pexpect.spawn": doesShell, "sudo": doesShell, "local": doesShell, "shell": doesShell, "runcmd": doesShell, "write_file": doesWrite,
		"rm": doesTreeIf, "run": doesShell, "delete": doesDrop, "delete_bucket": doesDrop, "delete_db_instance": doesDrop, "delete_table": doesDrop, "delete_stack": doesDrop, "terminate_instances": doesDrop, "delete_index": doesDrop,
	},
	Node: {
		"execSync": doesShell, "child_process.exec": doesShell, "spawn": doesShell, "spawnSync": doesShell, "execFile": doesShell, "execFileSync": doesShell, "exec": doesShell,
		"fork": doesFork, "rmSync": doesTreeIf, "rm": doesTreeIf, "rmdirSync": doesTreeIf, "rmdir": doesTreeIf, "removeSync": doesTree, "remove": doesTree, "emptyDirSync": doesTree,
		"rimraf": doesTree, "sync": doesTree, "unlinkSync": doesFile, "unlink": doesFile, "writeFileSync": doesWrite, "writeFile": doesWrite,
		"appendFileSync": doesWrite, "appendFile": doesWrite, "createWriteStream": doesWrite, "truncateSync": doesWrite,
		"readFileSync": doesRead, "readFile": doesRead, "createReadStream": doesRead, "process.kill": doesKill, "eval": doesCode, "Function": doesCode,
		"then": doesCode, "query": doesSQL, "runInThisContext": doesCode, "$": doesShell, "shell.exec": doesShell, "execa": doesShell, "execaCommand": doesShell, "Command": doesShell, "run": doesShell,
		"renameSync": doesMove, "rename": doesMove, "copyFileSync": doesCopy, "copyFile": doesCopy, "cpSync": doesCopy, "symlinkSync": doesCopy, "chmodSync": doesMode, "chownSync": doesMode, "writeTextFile": doesWrite, "writeTextFileSync": doesWrite,
		"$executeRaw": doesSQL, "$executeRawUnsafe": doesSQL, "$queryRaw": doesSQL, "$queryRawUnsafe": doesSQL, "raw": doesSQL, "execute": doesSQL, "dropDatabase": doesDrop, "flushall": doesDrop, "flushAll": doesDrop, "flushdb": doesDrop, "drop": doesDrop,
		"deleteMany": doesDrop, "del": doesDrop, "truncate": doesDrop, "forEach": doesEach, "map": doesEach, "deleteSync": doesTree, "FileWriter": doesWrite, "rmdirRecursive": doesTree,
	},
	Ruby: {
		"system": doesShell, "exec": doesShell, "spawn": doesShell, "popen": doesShell, "capture2": doesShell, "capture2e": doesShell, "capture3": doesShell, "popen3": doesShell,
		"rm_rf": doesTree, "rm_r": doesTree, "remove_dir": doesTree, "remove_entry": doesTree, "remove_entry_secure": doesTree, "rmtree": doesTree, "rm_f": doesFile, "rm": doesFile,
		"File.delete": doesFile, "unlink": doesFile, "File.write": doesWrite, "IO.write": doesWrite, "File.open": doesOpen, "File.read": doesRead, "File.readlines": doesRead, "IO.read": doesRead,
		"File.binread": doesRead, "Process.kill": doesKill, "eval": doesCode, "fork": doesFork, "execute": doesSQL, "send": doesShell, "__send__": doesShell, "public_send": doesShell,
		"FileUtils.mv": doesMove, "File.rename": doesMove, "FileUtils.cp": doesCopy, "FileUtils.cp_r": doesCopy, "chmod": doesMode, "chmod_R": doesMode, "chown_R": doesMode, "open": doesOpen, "sh": doesShell, "flushall": doesDrop, "each": doesEach,
		"destroy_all": doesDrop, "drop_table": doesDrop, "drop_database": doesDrop, "execute_sql": doesSQL,
	},
	Perl: {
		"system": doesShell, "exec": doesShell, "shell_exec": doesShell, "passthru": doesShell, "popen": doesShell, "os.execute": doesShell, "io.popen": doesShell, "proc_open": doesShell,
		"rmtree": doesTree, "remove_tree": doesTree, "unlink": doesFile, "os.remove": doesFile, "open": doesOpen, "fopen": doesOpen, "io.open": doesOpen,
		"file_get_contents": doesRead, "readfile": doesRead, "file_put_contents": doesWrite, "kill": doesKill, "posix_kill": doesKill, "eval": doesCode, "fork": doesFork, "do": doesSQL,
		// Other languages, which this table stands for.
		"script": doesShell, "syscmd": doesShell, "esyscmd": doesShell, "Process": doesShell, "run": doesShell, "cmd": doesShell, "shell": doesShell, "spawn": doesShell, "readProcess": doesShell, "callCommand": doesShell, "rawSystem": doesShell,
		"run-program": doesShell, "shell-command": doesShell, "call-process": doesShell, "run-shell-command": doesShell, "start-process": doesShell, "system2": doesShell, "Sys.command": doesShell, "execute": doesShell, "execSync": doesShell, "executeShell": doesShell,
		"rm": doesTreeIf, "rm_rf": doesTree, "rm_r": doesTree, "deleteRecursively": doesTree, "removeDirectoryRecursive": doesTree, "removeTree": doesTree, "RemoveAll": doesTree, "remove_dir_all": doesTree, "delete-directory": doesTree, "rmdirRecurse": doesTree,
		"delete_recursive": doesTree, "removePathForcibly": doesTree, "rmdir": doesFile, "delete-file": doesFile, "File.rm": doesFile, "File.delete": doesFile, "removeFile": doesFile, "file.remove": doesFile, "deleteFile": doesFile, "delete": doesFile,
		"rename": doesMove, "file.rename": doesMove, "copy": doesCopy, "chmod": doesMode, "array_map": doesEach, "array_walk": doesEach, "find": doesEach, "finddepth": doesEach, "map": doesEach, "slurp": doesRead, "writeFile": doesWrite, "File.write": doesWrite, "File.write!": doesWrite, "write_file": doesWrite,
	},
}

// qualified are calls whose bare names mean many things: they count only after
// one of these.
var qualified = map[string][]string{
	"sync": {"rimraf", ")"}, "rm": {"fs", "promises", "FileUtils", "shell", "sh", "shelljs", ")", ""}, "remove": {"fs"}, "rmdir": {"fs", "promises", ""}, "unlink": {"fs", "os", "promises", "File", "Path", ")", ""},
	"exec": {"", "child_process", ")", "cp", "Kernel"}, "then": {")"}, "spawn": {"", "child_process", ")", "cp", "Process", "Kernel"},
	"popen": {"os", "", "IO", "io"}, "system": {"os", "", "Kernel", ")", "Process"}, "fork": {"os", "", "Process", "child_process"}, "eval": {"", "Kernel"}, "do": {"$dbh", "dbh"}, "open": {"", "io", "builtins", "File", "codecs", ")", "os"},
	"move": {"shutil"}, "copy": {"shutil", ""}, "map": {"", ")"}, "rename": {"", "fs", "promises", "File"}, "raw": {"knex", "db", "sequelize"}, "drop": {"sequelize", "schema", "db"}, "del": {")"}, "sudo": {"", "c"}, "local": {"c"}, "shell": {"", "sh", "shelljs", "Mix"},
	"run": {")", "Command", "$", "execa", "cmd", "System"}, "cmd": {"", "System", "exec"}, "send": {"", "Kernel", "self"}, "chmod": {"", "FileUtils", "File", "fs", "os"}, "each": {")", "]"}, "forEach": {")", "]"}, "$": {""}, "Command": {"Deno", ""}, "delete": {"Files", "File", "os", "FileUtils", ")"}, "find": {""},
	"truncate": {"os", ")"}, "sh": {""}, "Process": {"", "process", "Runtime"}, "script": {""}, "array_map": {""}, "array_walk": {""}, "write_file": {""},
	"query": {"", "db", "client", "pool", "conn", "connection", "knex"}, "kill": {""},
}
