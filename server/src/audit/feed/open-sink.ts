import { FileSink } from './file-sink.ts'
import { HttpSink } from './http-sink.ts'
import type { FeedLine, FeedSink } from './sink.ts'
import { SyslogSink } from './syslog-sink.ts'

const SYSLOG_PORTS = { 'syslog+tcp:': 514, 'syslog+tls:': 6514 } as const

export interface SinkOptions {
  /** Bearer token for an HTTP receiver. */
  readonly token: string | undefined
  /** Name of this node. */
  readonly node: string
  /** Prints a line to standard output. */
  readonly out: (line: string) => void
}

/** `-`: standard output. `syslog+tcp://…`, `syslog+tls://…`, `http://…`, `https://…`. Anything else is the path of a file. Undefined: not valid. */
export function openSink(target: string, { token, node, out }: SinkOptions): FeedSink | undefined {
  if (target === '-') return standardOutput(out)
  const url = /^[a-z+]+:\/\//i.test(target) ? URL.parse(target) : undefined
  if (url === null || url?.username || url?.password) return undefined
  if (url === undefined) return new FileSink(target)
  if (url.protocol === 'http:' || url.protocol === 'https:') return new HttpSink(target, token)
  if (url.protocol !== 'syslog+tcp:' && url.protocol !== 'syslog+tls:') return undefined
  const port = url.port === '' ? SYSLOG_PORTS[url.protocol] : Number(url.port)
  return new SyslogSink({ host: url.hostname.replaceAll(/[[\]]/g, ''), port, isTls: url.protocol === 'syslog+tls:', node })
}

const standardOutput = (out: SinkOptions['out']): FeedSink => ({
  write: async (lines: readonly FeedLine[]) => {
    for (const { text } of lines) out(text)
  },
  close: async () => {},
})
