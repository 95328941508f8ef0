import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** As a small model has; hashed n-grams collide in so few, and are meant to. */
export const DIMENSIONS = 256
const GRAMS = [3, 4, 5]

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return (value ^ (value >>> 15)) >>> 0
}

/** Where a text lies by the groups of letters in its words: the same for the same text, close for similar spelling. */
export function hashedGrams(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const padded = ` ${word} `
    for (const length of GRAMS) {
      for (let at = 0; at + length <= padded.length; at++) {
        const value = hash(padded.slice(at, at + length))
        const place = value % DIMENSIONS
        vector[place] = (vector[place] ?? 0) + (value & 0x10000 ? 1 : -1)
      }
    }
  }
  return vector
}

export interface EmbeddingServer extends AsyncDisposable {
  /** Base URL of its OpenAI-compatible API. */
  readonly url: string
}

/** An embedder without a model, on loopback: weak, and so a test of how much a weak one may harm. */
export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { input, model } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[]; model: string }
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: hashedGrams(text) }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', model, data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
