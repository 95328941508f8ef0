export interface ServerEvent {
  /** Default: `message`. */
  readonly type: string
  /** Undefined: the event only updates the id to resume from. */
  readonly data: string | undefined
  readonly id: string | undefined
}

const FRAME_END = /\r?\n\r?\n/

/** Reads server-sent events from a response body. For bearer tokens, which EventSource cannot send. */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ServerEvent> {
  let buffer = ''
  for await (const text of chunksOf(body.pipeThrough(new TextDecoderStream()))) {
    const frames = (buffer + text).split(FRAME_END)
    buffer = frames.pop() ?? ''
    yield* frames.map(parseEvent)
  }
}

/** Some browsers cannot iterate over a ReadableStream. */
async function* chunksOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel()
  }
}

function parseEvent(frame: string): ServerEvent {
  const fields = new Map<string, string[]>()
  for (const line of frame.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name) fields.set(name, [...(fields.get(name) ?? []), value])
  }
  return { type: fields.get('event')?.[0] ?? 'message', data: fields.get('data')?.join('\n'), id: fields.get('id')?.[0] }
}
