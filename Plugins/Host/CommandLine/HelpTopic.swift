internal import WeirCore
internal import WeirRecords

/// What there is help on beside the commands.
enum HelpTopic: String, CaseIterable {
    case options, addresses, nats, groups, formats, tables, times, zones, checkpoints, journals, config
    case exitCodes = "exit-codes"
    case signals, environment, output

    /// The page.
    var text: String {
        switch self {
        case .options: options
        case .addresses: addresses
        case .nats: nats
        case .groups: groups
        case .formats: formats
        case .tables: tables
        case .times: times
        case .zones: zones
        case .checkpoints: checkpoints
        case .journals: journals
        case .config: Configuration.page
        case .exitCodes: exitCodes
        case .signals: signals
        case .environment: EnvironmentOptions.page
        case .output: MatchStyle.page
        }
    }

    private var options: String {
        let others = [
            RunOptions.ofTimes, RunOptions.ofTables, RunOptions.ofCheckpoints, RunOptions.ofJournals,
            RunOptions.ofGroups,
        ]
        let names = Set(others.joined().map(\.name))
        return """
            Options of 'weir run'; 'weir help' has more: times, zones, tables, groups,
            journals, checkpoints (--state, --checkpoint, --state-mismatch, --fsync).

            Usage: weir run PLUGIN [INPUT] [OPTIONS]
            \(Table.text(HelpPage.rows(RunOptions.all.filter { !names.contains($0.name) })))
            """
    }

    private var addresses: String {
        """
        Where bytes come from, and where they go to.

        Examples:
          weir run fraud --from 'tcp://:9000?idle=5m' --format jsonl
          weir run fraud --from 'exec:journalctl -f -o json' --format jsonl
          weir run fraud --from http://:8080/in --format jsonl --to http://[::1]:81/hook

        Usage: weir run PLUGIN --from ADDRESS --to ADDRESS

        An address is SCHEME:PLACE, and behind a '?' options with '&' between them: see
        'weir list transports'. A place with a '?' in it ends in another one. Ports are
        on the loopback address, unless a host is named; '*' is every one of IPv4.
        exec: hands its command to /bin/sh -c. It ends with this program.
        http: takes lines, frames, arrays of objects and application/json, each request
        whole or not at all; 'accepted' were taken in, and are not read yet:
          curl --data-binary @in.jsonl http://127.0.0.1:8080/in
          {"accepted":120,"rejected":0}

        TLS is for a program in front: nginx before a source, and socat behind a sink,
        here http://127.0.0.1:81/hook?host=example.com:
          location /in { proxy_pass http://127.0.0.1:8080; client_max_body_size 1m; }
          socat TCP-LISTEN:81,bind=127.0.0.1,fork,reuseaddr OPENSSL:example.com:443

        """
    }

    private var nats: String {
        """
        Read and publish messages of NATS, and read streams of JetStream.

        Examples:
          nats stream add in --subjects 'in.>' --defaults
          weir convert in.jsonl nats://127.0.0.1/in.a?stream=in --to-format jsonl
          weir run fraud --from 'nats://one,two:4222/in.a?stream=in' --format jsonl
          weir run shake --from nats://me:secret@host/in.csv --to nats://host/out

        Usage: weir run PLUGIN --from nats://HOST:PORT/SUBJECT --to nats://HOST/SUBJECT

        A message has one or more lines; a sink puts each match into one. 'weir list
        transports' has the options. With stream=NAME the stream confirms what is sent,
        and what it does not confirm is sent again. A stream is read in order, and with
        --state DIR another run goes on where one was killed; with durable=NAME the
        server remembers, several may share the stream, and each message is read at
        least once; what an output other than a file has not sent is lost in a kill.
        Without a stream, what is published while nobody reads is lost.

        TLS is for a leaf node on this machine, whose address is 127.0.0.1 then:
          leafnodes { remotes = [{ url: "tls://connect.example.com:7422" }] }

        """
    }

    private var groups: String {
        """
        Share the work of a pipeline with other machines; each match is there once.

        Examples:
          nats stream add in --subjects 'in.*' --discard new --replicas 3 --defaults
          weir run fraud --from nats://one,two/in --to nats://one,two/out --group fraud
          weir produce in.csv --to nats://one,two/in --key user
          weir group fraud nats://one,two

        Usage: weir run PLUGIN --from nats://HOST/IN --to nats://HOST/OUT --group NAME
        \(Table.text(HelpPage.rows(RunOptions.ofGroups)))
        Start the command on each machine. The input is divided by keys into partitions,
        IN.0, IN.1 and so on, and each member works at its share. What a partition finds
        and knows, and its place, are kept as one, every --checkpoint (1s): if a member
        ends or is lost, others go on from there, and one that comes takes its part.
        Outputs are lines of JSON in OUT.0 and so on, in the stream weir-NAME, or that
        of 'stream=' in --to. Each partition has plugins of its own: for what spans keys,
        a second group reads OUT.* as one partition, in the order of time.
        Members with another plugin or other options are refused, also with another
        --max-line: they would reject other records. It takes nats-server 2.12, and
        against power cuts: jetstream { sync_interval: always }

        """
    }

    private var formats: String {
        """
        Read and write bytes of any form; 'weir list formats' lists them.

        Examples:
          weir guess access.log
          weir run fraud access.jsonl.gz --columns user=client.name,place=tags.0
          weir run shake --from readings.csv --workers 2
          weir convert access.log out.csv.zst --format combined
          weir convert app.log --format 'pattern:{time} {+time} [{level}] {text}'
          weir convert auth.jsonl udp://127.0.0.1:514 --to-format syslog

        Usage: weir run PLUGIN [INPUT] --format FORMAT

        The ending of a file says its format; without one, JSON is known by its first
        bytes, and 'weir guess' says the options that a file needs. A dot goes into
        objects and, with a number from 0 on, into arrays. In a pattern, {+NAME} goes
        on with a field behind a blank, or what else stands there, and {NAME->} leaves
        out the blanks behind a value.

        Files that end in .gz, .zst, .xz or .bz2 are read and written by the programs
        gzip, zstd, xz and bzip2 of the system. Standard input is not: write
        'zcat in.csv.gz | weir run shake'.

        """
    }

    private var tables: String {
        """
        Read tables of any form.

        Examples:
          weir run shake in.txt --delimiter ';' --columns time=t_ms
          weir run shake in.txt --format tsv --header none --columns time=1,x=2,y=3,z=4
          weir convert in.txt out.csv --delimiter '|' --quote none --comment '#'

        Usage: weir run PLUGIN [INPUT] [OPTIONS]
        \(Table.text(HelpPage.rows(RunOptions.ofTables)))
        'weir guess FILE' says how a file is written, and which of these it needs. Of a
        header of several lines the first one names the fields. Without a header they
        are named by their positions, from 1 on. A field in quotes may have line breaks,
        but not where several connections or datagrams are one table: there a record
        ends with its line, so that an open quote of one sender costs no other's.

        """
    }

    private var times: String {
        """
        Handle records that come late, or from the future.

        Examples:
          weir run fraud access.jsonl --lateness 1m --late late.jsonl
          weir run fraud --from udp://:9000 --format jsonl --max-ahead 10m

        Usage: weir run PLUGIN [INPUT] [OPTIONS]
        \(Table.text(HelpPage.rows(RunOptions.ofTimes)))
        With --lateness, a record waits until one has come that is later by that much;
        records of one time keep their order. A live input (a socket, a followed file)
        waits no longer than the lateness by the clock, and a query notices then what
        has not happened. What comes later still is late: counted, and kept with --late.
        Beyond --max-held the oldest goes on early, and is counted.

        Without it, records keep the order of the input, and the summary says how many
        came after a later one. What needs an order (shake, a sequence) rejects those.

        --max-ahead rejects times that are further ahead: of the clock for live inputs,
        otherwise of most of the 31 records around them. 'none' turns it off.

        """
    }

    private var zones: String {
        """
        Read and write times of any form.

        Examples:
          weir run shake readings.csv --time-zone Europe/Amsterdam
          weir run fraud log.csv --time-format '%d.%m.%Y %H:%M:%S' --time-zone UTC

        Usage: weir run PLUGIN [INPUT] [OPTIONS]
        \(Table.text(HelpPage.rows(OptionDeclaration.times)))
        A number counts --time-unit; 'auto' takes the unit from the size of the first,
        which is of 1973 or later. Text is 2026-02-01T13:00:00Z, also with spaces,
        slashes or +0100, or 01/Feb/2026:13:00:00 +0100. Without a zone it needs
        --time-zone. Of a time that its clocks show twice the earlier is meant; one that
        they skip is read as if they had not been set yet. Both are counted.

        --time-format has %Y %y %m %b %B %d %e %j %a %A, %H %I %p %M %S, %f or %N (the
        fraction; %3f has three digits, %.f its point too), %s, %z %:z %Z, %F %T %R %D.
        Matches have the form of the first time of the input, or of --time-form.

        """
    }

    private var checkpoints: String {
        """
        Go on after the end of the program, or a kill, as if nothing had happened.

        Examples:
          weir run shake readings.csv --to shakes.jsonl --state state/
          weir match --rules rules/ in.jsonl --to m.jsonl --state state/
          weir state state/

        Usage: weir run PLUGIN [INPUT] --state DIR [OPTIONS]
        \(Table.text(HelpPage.rows(RunOptions.ofCheckpoints)))
        The same command again reads back what was known, reads inputs on, and cuts the
        outputs back to what they had then: each match is there once, but for sockets.
        What sockets and pipes bring between the last save and a kill is lost, unless
        --journal keeps it: 'weir help journals'.

        State is saved between batches, at Ctrl-C, SIGTERM and the end. Workers need the
        same number again; what has changed needs --state-mismatch drop, which says what
        is lost. With --fsync never, a power cut may cost the state.

        """
    }

    private var journals: String {
        """
        Keep what cannot be read again until the state covers it.

        Examples:
          weir run fraud --from tcp://:9000 --format jsonl --state state/ --journal
          weir run fraud --from 'tcp://:9000?ack=true' --format csv --state s/ --journal

        Usage: weir run PLUGIN --from ADDRESS --state DIR --journal [OPTIONS]
        \(Table.text(HelpPage.rows(RunOptions.ofJournals)))
        What sockets, pipes and standard input bring is written to DIR before it is
        processed, and read from there after a kill. With 'ack=true' in the address of a
        stream socket each sender is told, in a line, how many of its messages are safe.
        Standard input goes on in the middle of a line: give the next run the same pipe.
        Files, recordings and streams of NATS can be read again and need no journal.

        """
    }

    private var exitCodes: String {
        """
        How the program ends.

        Examples:
          weir run shake readings.csv --strict || echo "exit code $?"

        Usage: weir help exit-codes

        \(Table.text(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }))
        """
    }

    private var signals: String {
        """
        What 'weir run' and 'weir match' do on signals.

        Examples:
          kill -USR1 4711
          kill -HUP 4711

        Usage: weir help signals

        \(Table.text([
            ("SIGINT, SIGTERM", "Ctrl-C: stop reading, and write the matches of all that was read, or with --state save it; a second one ends at once, with 128 and its number as the exit code"),
            ("SIGHUP", "with --config or --rules: read the files again, and replace only what has changed; a rule with a mistake goes on as it was. The run outlives its terminal; otherwise like SIGINT, unless it is ignored, as with nohup"),
            ("SIGUSR1", "show the numbers on standard error, like 'weir top --snapshot'"),
        ]))
        """
    }
}
