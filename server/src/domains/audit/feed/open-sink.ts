import { FileSink } from './file-sink.ts'
import { HttpSink } from './http-sink.ts'
import type { FeedSink } from './sink.ts'

export interface SinkOptions {
  /** Bearer token for an HTTP receiver. */
  readonly token: string | undefined
  /** Prints a line to standard output. */
  readonly out: (line: string) => void
}

/** `-`: standard output. `http://…`, `https://…`. Anything else is the path of a file. Undefined: not valid. */
export function openSink(target: string, { token, out }: SinkOptions): FeedSink | undefined {
  if (target === '-') return standardOutput(out)
  const url = /^[a-z+]+:\/\//i.test(target) ? URL.parse(target) : undefined
  if (url === undefined) return new FileSink(target)
  if (url === null || url.username || url.password || !/^https?:$/.test(url.protocol)) return undefined
  return new HttpSink(target, token)
}

const standardOutput = (out: SinkOptions['out']): FeedSink => ({
  write: async (lines) => lines.forEach(out),
  close: async () => {},
})
