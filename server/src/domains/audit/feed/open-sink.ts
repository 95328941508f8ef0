import { appendLines, bearer, openConnection, sendRequest } from '../delivery/send-request.ts'

export interface FeedSink {
  /** Resolves when the receiver has all lines. Throws otherwise, without a secret; all lines are then sent again. */
  write(lines: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface SinkOptions {
  readonly token: string | undefined
  readonly out: (line: string) => void
}

/** `-`: standard output. `http://…`, `https://…`. Anything else is the path of a file. Undefined: not valid. */
export function openSink(target: string, { token, out }: SinkOptions): FeedSink | undefined {
  if (target === '-') return { write: async (lines) => lines.forEach(out), close: async () => {} }
  const url = /^[a-z+]+:\/\//i.test(target) ? URL.parse(target) : undefined
  if (url === undefined) return { write: (lines) => appendLines(target, lines), close: async () => {} }
  if (url === null || url.username || url.password || !/^https?:$/.test(url.protocol)) return undefined
  return httpSink(target, token)
}

/** A 2xx response means that the receiver has stored the batch, one record per line. */
function httpSink(url: string, token: string | undefined): FeedSink {
  const connection = openConnection()
  const headers = { 'content-type': 'application/x-ndjson', ...bearer(token) }
  return {
    write: (lines) => sendRequest(connection, { method: 'POST', url, headers, body: lines.map((line) => `${line}\n`).join('') }),
    close: () => connection.close(),
  }
}
