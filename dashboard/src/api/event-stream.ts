/** One server-sent event. */
export interface ServerEvent {
  /** `message` where the server names none. */
  readonly type: string
  /** Undefined: nothing happened, only the place to resume from has moved. */
  readonly data: string | undefined
  readonly id: string | undefined
}

const FRAME_END = /\r?\n\r?\n/

/**
 * The events of an answer, as they come. The browser's own EventSource sends no bearer token; where the session's cookie is
 * enough, use that.
 */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ServerEvent> {
  let rest = ''
  for await (const text of chunksOf(body.pipeThrough(new TextDecoderStream()))) {
    const frames = (rest + text).split(FRAME_END)
    rest = frames.pop() ?? ''
    yield* frames.map(eventIn)
  }
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}

function eventIn(frame: string): ServerEvent {
  const fields = new Map<string, string[]>()
  for (const line of frame.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name) fields.set(name, [...(fields.get(name) ?? []), value])
  }
  return { type: fields.get('event')?.[0] ?? 'message', data: fields.get('data')?.join('\n'), id: fields.get('id')?.[0] }
}
