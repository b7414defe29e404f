"""Tables of programs that are always a question, each with the reason a person reads."""

from __future__ import annotations

from collections.abc import Mapping

OPAQUE: Mapping[str, str] = {
    **dict.fromkeys(
        "python python2 python3 node nodejs deno bun ruby perl php lua luajit Rscript R julia ghc runghc java"
        " scala kotlin groovy"
        " tclsh wish guile racket elixir erl iex irb swift osascript expect gdb lldb bpython ipython jupyter"
        " ipython3".split(),
        "it runs a program text, whose effects cannot be read off",
    ),
    **dict.fromkeys(
        "make gmake ninja cmake ctest meson bazel buck2 just task rake gradle mvn ant sbt scons tup cargo rustc"
        " go gcc cc g++ c++ clang"
        " clang++ ld dotnet msbuild zig stack cabal mix rebar3 tsc vite webpack esbuild rollup turbo nx lerna"
        " gulp grunt".split(),
        "it builds what the project's own files say",
    ),
    **dict.fromkeys(
        "pytest tox nox coverage mypy pylint hypothesis behave jest vitest mocha karma cypress playwright eslint"
        " prettier stylelint"
        " phpunit rspec pre-commit poetry pdm hatch pipenv uv uvx rye conda mamba pipx npx pnpm yarn npm"
        " corepack composer bundle gem"
        " alembic django-admin flask uvicorn gunicorn celery rails".split(),
        "it runs the project's own code",
    ),
    **dict.fromkeys(
        "strace ltrace valgrind perf ldd parallel entr watchexec nodemon inotifywait hyperfine".split(),
        "it runs other programs in a way that cannot be read off",
    ),
}
NETWORK: Mapping[str, str] = dict.fromkeys(
    "ssh scp sftp ftp lftp telnet nc ncat netcat socat nmap ping ping6 traceroute tracepath mtr dig host"
    " nslookup getent whois rclone"
    " aria2c axel http https xh gh glab hub aws gcloud gsutil az doctl kubectl helm oc terraform tofu pulumi"
    " ansible ansible-playbook"
    " heroku flyctl fly vercel netlify firebase wrangler supabase twine flit mail mailx mutt sendmail msmtp swaks"
    " yt-dlp youtube-dl rtorrent transmission-cli syncthing croc magic-wormhole wormhole ngrok cloudflared tailscale"
    " telegram-send slackcat irssi weechat mosquitto_pub kcat grpcurl websocat".split(),
    "it talks to other machines",
)
DELEGATES: Mapping[str, str] = {
    **dict.fromkeys(
        "systemd-run at batch crontab tmux screen kitty kitten wezterm zellij swaymsg i3-msg hyprctl niri"
        " riverctl dbus-send gdbus busctl"
        " qdbus xdg-open gio gtk-launch exo-open open dex run-mailcap x-www-browser sensible-browser emacsclient"
        " code codium"
        " wtype ydotool xdotool wl-copy".split(),
        "it lets another process act, out of sight of this gate",
    ),
    **dict.fromkeys(
        "docker podman nerdctl ctr buildah docker-compose podman-compose lxc lxc-attach incus machinectl"
        " systemd-nspawn distrobox toolbox"
        " flatpak snap vagrant multipass virsh qemu-system-x86_64 nix nix-shell nix-env guix".split(),
        "what runs in a container or a package's environment is out of sight of this gate",
    ),
    **dict.fromkeys(
        "claude codex gemini aider opencode goose cursor-agent amp crush".split(),
        "another agent acts on its own",
    ),
    **dict.fromkeys(
        "xvfb-run dbus-run-session dbus-launch unshare nsenter chroot bwrap firejail setpriv capsh script"
        " unbuffer watch"
        " startx sway Xwayland foot alacritty gnome-terminal konsole xterm".split(),
        "what it would run acts in another place",
    ),
}
PRIVILEGED: Mapping[str, str] = dict.fromkeys(
    "sudo doas pkexec su runuser sudoedit visudo passwd chpasswd useradd userdel usermod groupadd groupdel"
    " groupmod gpasswd".split(),
    "it acts with another user's rights",
)
SYSTEM: Mapping[str, str] = {
    **dict.fromkeys(
        "reboot shutdown poweroff halt init telinit mount umount swapon swapoff losetup mkfs mkswap fdisk parted"
        " sfdisk gdisk wipefs mdadm"
        " cryptsetup lvm pvcreate vgcreate lvcreate btrfs zfs zpool modprobe insmod rmmod sysctl iptables nft"
        " ufw firewall-cmd ifconfig"
        " route nmcli iwctl rfkill hwclock timedatectl hostnamectl localectl loginctl update-alternatives"
        " update-initramfs grub-install"
        " efibootmgr dpkg rpm dnf yum zypper pacman apk apt apt-get aptitude emerge brew port systemctl service"
        " chattr setfacl setfattr"
        " killall pkill skill renice prlimit xdg-mime xdg-settings gsettings dconf".split(),
        "it changes the system or processes, which undo does not cover",
    ),
    **dict.fromkeys("shred srm wipe".split(), "it destroys data so that nothing can bring it back"),
    **dict.fromkeys(
        "gpg gpg2 gpgconf ssh-keygen ssh-add ssh-agent ssh-copy-id secret-tool pass keyctl op bw age sops"
        " vault".split(),
        "it handles keys and secrets",
    ),
}
DATABASES: Mapping[str, str] = dict.fromkeys(
    "psql pg_dump pg_restore createdb dropdb mysql mysqldump mariadb sqlite3 redis-cli mongo mongosh mongodump"
    " mongorestore cqlsh influx"
    " clickhouse-client duckdb etcdctl consul neo4j-admin cypher-shell".split(),
    "it may change a database, which undo does not cover",
)

ALWAYS_ASK: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("privilege", PRIVILEGED),
    ("delegate", DELEGATES),
    ("network.send", NETWORK),
    ("system", SYSTEM),
    ("database", DATABASES),
)
VERSION_ONLY = frozenset(["--version", "-V", "--help"])
"""As the only word, these make any program of the tables only print."""
VERSION_LOADS = frozenset(
    "yarn pnpm corepack npx pipx uvx rails bundle rspec phpunit composer bazel buck2 mvn sbt gradle ant mix pytest tox"
    " nox hypothesis behave pylint flask celery poetry pdm jest vitest mocha karma cypress playwright eslint prettier"
    " stylelint tsc vite webpack esbuild rollup turbo nx lerna gulp grunt".split()
)
"""Programs that hand over to the project's own copy, or load its settings and code, before they say which version."""
