package danger

import "strings"

// destroyWords are the words by which a tool destroys what it manages. The words of an
// entry stand in this order among the tool's operands, its options anywhere: a|b is
// either, x* begins so, -f is the letter or the long name after it: "-f|--force".
var destroyWords = map[string][]string{
	// Clusters, clouds and what manages them.
	"helm": {"uninstall|delete|un|del"}, "terraform": terraformWords, "tofu": terraformWords, "terragrunt": terraformWords, "pulumi": {"destroy|down", "stack rm", "state delete"},
	"cdk": {"destroy"}, "sst": {"remove"}, "serverless": {"remove"}, "sls": {"remove"}, "sam": {"delete"}, "cdktf": {"destroy"}, "kops": {"delete"}, "kubeadm": {"reset"},
	"gsutil": {"rm -r|-R", "rb", "rsync -d"}, "gcloud": {"delete", "rm -r|--recursive", "reset-windows-password"}, "az": {"delete", "purge", "delete-batch", "deallocate --no-wait"},
	"aws":   {"s3 rb", "s3 rm --recursive", "s3 sync --delete", "delete-*|admin-delete-*|batch-delete-*", "terminate-*", "deregister-*", "purge-*", "schedule-key-deletion", "release-address", "remove-*", "disable-*"},
	"bq":    {"rm -r|-f", "rm"},
	"mc":    {"rm --recursive|-r", "rb", "mirror --remove"},
	"s3cmd": {"del --recursive|-r", "rb", "sync --delete-removed"}, "s5cmd": {"rm", "rb", "sync --delete"}, "rclone": {"purge", "delete", "sync", "rmdirs"}, "b2": {"delete-bucket", "rm"},
	"heroku": {"apps:destroy|apps:delete|destroy", "pg:reset", "addons:destroy", "domains:clear", "config:clear"}, "fly": flyWords, "flyctl": flyWords, "doctl": {"delete|rm"}, "linode-cli": {"delete|rm|*-delete"},
	"hcloud": {"delete|poweroff|rebuild"}, "scw": {"delete|terminate"}, "oci": {"delete|terminate"}, "openstack": {"delete", "purge"}, "nova": {"delete|*-delete"}, "ibmcloud": {"delete|*-delete|*-rm"},
	"vultr-cli": {"delete"}, "civo": {"delete|rm|remove"}, "yc": {"delete"}, "aliyun": {"Delete*"}, "upctl": {"delete"}, "exo": {"delete"}, "eksctl": {"delete"}, "rosa": {"delete"}, "k3d": {"delete"}, "kind": {"delete"},
	"vercel": {"remove|rm", "env rm"}, "now": {"remove|rm"}, "netlify": {"sites:delete"}, "firebase": {"*:delete", "projects:delete", "hosting:disable"}, "wrangler": {"delete"}, "railway": {"down|delete"},
	"supabase": {"db reset", "delete", "projects delete"}, "planetscale": {"delete"}, "pscale": {"delete"}, "neonctl": {"delete"}, "turso": {"destroy"}, "appwrite": {"delete*"},
	"gh": {"repo delete", "release delete", "secret delete", "api -X|--method"}, "glab": {"repo|project delete"}, "npm": {"unpublish", "deprecate", "owner rm"}, "cargo": {"yank"}, "gem": {"yank"}, "nomad": {"stop|job stop -purge", "system gc"},
	"consul": {"kv delete -recurse", "leave|force-leave", "snapshot restore"}, "vault": {"delete|destroy", "metadata delete", "secrets disable", "operator seal", "lease revoke"}, "etcdctl": {"del --prefix|--from-key|--range", "snapshot restore", "member remove"},
	"argocd": {"delete"}, "flux": {"uninstall|delete"}, "istioctl": {"uninstall|x uninstall"}, "velero": {"delete|uninstall"}, "rabbitmqctl": {"reset|force_reset|delete_*|purge_queue|stop_app"}, "rabbitmqadmin": {"delete|purge"},
	"kaggle": {"delete"}, "k3s-uninstall.sh": {""}, "doppler": {"projects delete"}, "elasticsearch-users": {"userdel"},
	"kafka-topics": {"--delete"}, "kafka-topics.sh": {"--delete"}, "kafka-delete-records.sh": {""}, "nats": {"rm|del|purge"}, "pulsar-admin": {"delete|*-delete"}, "zkCli.sh": {"deleteall|rmr"},
	"hdfs": {"-rm|-rmr|-rm -r", "-format"}, "hadoop": {"-rmr", "-rm -r|-R"}, "ceph": {"rm|delete|destroy|purge|zap"}, "rbd": {"rm|remove|purge"}, "rados": {"rm|rmpool|purge"}, "gluster": {"delete|remove-brick"}, "ceph-volume": {"zap"},
	"minikube": {"delete"}, "multipass": {"delete --purge|-p", "purge"}, "lima": {"delete"}, "limactl": {"delete"}, "colima": {"delete"}, "vagrant": {"destroy"}, "virsh": {"undefine|vol-delete|pool-delete|destroy"},
	"VBoxManage": vboxWords, "vboxmanage": vboxWords, "qm": {"destroy"}, "pct": {"destroy"}, "machinectl": {"remove|terminate|clean"}, "lxc-destroy": {""}, "vmrun": {"deleteVM"}, "prlctl": {"delete"}, "tart": {"delete"},
	"salt-key": {"-D", "-d"}, "knife": {"delete"}, "puppet": {"clean"}, "juju": {"destroy-*|kill-controller|remove-*"}, "rancher": {"delete|rm"}, "dokku": {"*:destroy"}, "cf": {"delete|delete-*|d"}, "eb": {"terminate"}, "copilot": {"delete"}, "amplify": {"delete"},

	// Databases and the frameworks that make them.
	"rails": railsWords, "rake": railsWords, "bin/rails": railsWords, "mix": {"ecto.drop", "ecto.reset", "ash.drop|ash.reset"}, "artisan": {"migrate:fresh", "migrate:reset", "migrate:refresh", "db:wipe"},
	"manage.py": djangoWords, "django-admin": djangoWords, "prisma": {"migrate reset", "db push --force-reset|--accept-data-loss"}, "drizzle-kit": {"drop"}, "dotnet": {"ef database drop"}, "dotnet-ef": {"database drop"},
	"sequelize": {"db:drop", "db:migrate:undo:all"}, "sequelize-cli": {"db:drop", "db:migrate:undo:all"}, "typeorm": {"schema:drop"}, "knex": {"migrate:rollback --all"}, "alembic": {"downgrade base"}, "flask": {"db downgrade base", "drop-db|drop_db"},
	"console": {"doctrine:database:drop", "doctrine:schema:drop", "doctrine:mongodb:schema:drop"}, "drush": {"sql:drop|sql-drop"}, "wp": {"db reset|drop|clean", "site empty|delete"}, "diesel": {"database reset", "migration redo --all"}, "sqlx": {"database drop|reset"},
	"goose": {"reset", "down-to 0"}, "migrate": {"drop", "down -all"}, "dbmate": {"drop"}, "flyway": {"clean"}, "liquibase": {"drop-all|dropAll"}, "atlas": {"schema clean"}, "hanami": {"db drop"},
	"pg_restore": {"--clean|-c"}, "pg_dropcluster": {""}, "pg_resetwal": {"-D|--pgdata"}, "mongorestore": {"--drop"}, "nodetool": {"clearsnapshot|removenode|decommission"}, "influx": {"delete", "bucket delete"}, "curator_cli": {"delete_indices|delete_snapshots"},
	"airflow": {"db reset"}, "dagster": {"run wipe", "asset wipe"}, "mlflow": {"gc"}, "dvc": {"gc -c|--cloud", "destroy"},

	// Backups, snapshots and what keeps them.
	"restic": {"forget --prune", "prune", "forget"}, "borg": {"delete|prune"}, "duplicity": {"remove-all-but*|remove-older-than|cleanup"}, "tmutil": {"delete|deletelocalsnapshots|disable"}, "kopia": {"delete", "repository delete"}, "snapper": {"delete"}, "timeshift": {"--delete|--delete-all"},
	"vssadmin": {"delete"}, "wbadmin": {"delete"}, "git-lfs": {"prune"}, "svnadmin": {"rmtxns"}, "hg": {"strip"}, "snap": {"forget"}, "flatpak": {"uninstall --delete-data"},
}

var (
	terraformWords = []string{"destroy|destroy-all", "apply -destroy|--destroy", "state rm", "run-all destroy", "force-unlock"}
	flyWords       = []string{"destroy", "delete", "postgres detach", "volumes destroy|delete"}
	vboxWords      = []string{"unregistervm --delete", "closemedium --delete", "snapshot delete"}
	railsWords     = []string{"db:drop*", "db:reset*", "db:purge*", "db:truncate_all", "db:schema:load", "db:structure:load"}
	djangoWords    = []string{"flush", "reset_db", "sqlflush -x", "clear_index", "migrate zero", "drop_test_database"}
)

// looksOnly are the options with which a tool only shows what it would do.
var looksOnly = []string{"--help", "-h", "--dry-run", "-n", "--dryrun", "--what-if", "-WhatIf", "--check", "--preview", "--plan", "--noop"}

// destroys judges a tool by its words.
func (c *command) destroys() {
	for _, entry := range destroyWords[c.name] {
		if c.words(entry) && !c.only(entry) {
			c.k.add("cloud", c.line(), "destroys what it manages, with its data")
			return
		}
	}
}

// only reports whether a destroying call only shows what it would do, or is one that
// happens all day.
func (c *command) only(entry string) bool {
	for _, o := range looksOnly {
		if c.any(o) && !strings.Contains(entry, o) && (o != "-n" || c.name != "az" && c.name != "oc" && c.name != "helm" && c.name != "argocd") {
			return true
		}
	}
	switch c.name {
	case "terraform", "tofu", "terragrunt":
		return c.any("plan")
	case "gh":
		return strings.HasPrefix(entry, "api") && !c.any("DELETE")
	case "aws":
		if to := c.arg(len(c.args) - 1); entry == "s3 sync --delete" && !strings.HasPrefix(to, "-") && !strings.HasPrefix(to, "s3:") || entry == "s3 sync --delete" && to == "--delete" {
			_, ops := c.split("")
			last := ops[len(ops)-1].s
			return !strings.HasPrefix(last, "s3:") && c.spot(last).kind == atInside
		}
		return c.any("delete-message", "delete-message-batch", "--generate-cli-skeleton", "delete-object-tagging", "remove-tags", "delete-item", "delete-tags")
	}
	return false
}

// words reports whether the words of an entry of destroyWords stand among the
// arguments.
func (c *command) words(entry string) bool {
	i := 0
	for want := range strings.FieldsSeq(entry) {
		if want[0] == '-' {
			if !c.anyOption(want) {
				return false
			}
			continue
		}
		for i < len(c.args) && (strings.HasPrefix(c.args[i].s, "-") || !oneOf(want, c.args[i].s)) {
			i++
		}
		if i++; i > len(c.args) {
			return false
		}
	}
	return true
}

// anyOption reports whether one of the options a|b is given, a letter also in a
// bundle, a long name also with a value.
func (c *command) anyOption(want string) bool {
	for w := range strings.SplitSeq(want, "|") {
		for _, a := range c.args {
			if a.s == w || len(w) > 2 && strings.HasPrefix(a.s, w+"=") && a.s != w+"=false" {
				return true
			}
			if len(w) == 2 && len(a.s) > 2 && a.s[0] == '-' && a.s[1] != '-' && letters(a.s[1:]) && strings.Contains(a.s[1:], w[1:]) {
				return true
			}
		}
	}
	return false
}

// oneOf reports whether word is one of a|b|c*|*d.
func oneOf(want, word string) bool {
	for w := range strings.SplitSeq(want, "|") {
		begin, front := strings.CutSuffix(w, "*")
		end, back := strings.CutPrefix(w, "*")
		if w == word || front && strings.HasPrefix(word, begin) || back && strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// kept are the things that tools keep data in.
var kept = words("cluster", "clusters", "project", "projects", "database", "databases", "bucket", "buckets", "instance", "instances", "volume", "volumes", "server", "servers", "stack", "stacks", "machine", "machines", "droplet", "namespace", "namespaces", "account", "org", "organization", "snapshot", "snapshots", "backup", "backups", "vm", "vms", "site", "sites", "datastore", "nodepool", "disk", "disks", "zone", "zones")

// destroyVerbs mean the same wherever they stand.
var destroyVerbs = words("destroy", "destroy-all", "nuke", "factory-reset", "db:drop", "db:reset", "db:wipe", "db:purge", "database:drop", "schema:drop", "drop-database", "drop-db", "dropdb", "drop_db", "delete-all", "wipe-data", "delete-database", "delete-cluster", "--factory-reset", "--delete-all-data", "--wipe-all", "--drop-database", "--purge-all")

// deleteVerbs do so before or behind one of kept.
var deleteVerbs = words("delete", "remove", "rm", "del", "drop", "terminate")

// words returns a set of words.
func words(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, w := range list {
		set[w] = true
	}
	return set
}

// generators are the programs whose "destroy" takes back what they have generated.
var generators = map[string]bool{"rails": true, "bin/rails": true, "ember": true, "hanami": true, "conda": true, "npm": true, "yarn": true, "pnpm": true, "apt": true, "apt-get": true}

// destroysByName judges a tool of which nothing is known by words that mean the same
// in all of them.
func (c *command) destroysByName() {
	if readers[c.name] || generators[c.name] {
		return
	}
	noun := false
	verbs := 0
	for i, a := range c.args {
		if strings.HasPrefix(a.s, "-") {
			if destroyVerbs[a.s] {
				c.k.add("cloud", c.line(), "destroys what it manages, with its data")
			}
			continue
		}
		if verbs++; verbs > 3 {
			return
		}
		if noun && deleteVerbs[a.s] || kept[a.s] && i > 0 && deleteVerbs[c.args[i-1].s] && c.args[i-1].s != "rm" && c.args[i-1].s != "remove" {
			c.k.add("cloud", c.line(), "destroys what it manages, with its data")
			return
		}
		noun = noun || kept[a.s]
		if destroyVerbs[a.s] && !c.any(looksOnly...) {
			c.k.add("cloud", c.line(), "destroys what it manages, with its data")
			return
		}
	}
}
