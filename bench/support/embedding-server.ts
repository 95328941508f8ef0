import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Dimensions of a small model. Hashed n-grams collide in so few, as intended. */
export const DIMENSIONS = 256
const GRAMS = [3, 4, 5]

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return (value ^ (value >>> 15)) >>> 0
}

/** Embeds a text by the n-grams of its words: texts with similar spelling get similar vectors. */
export function hashedGrams(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const padded = ` ${word} `
    for (const length of GRAMS) {
      for (let at = 0; at + length <= padded.length; at++) {
        const value = hash(padded.slice(at, at + length))
        const dimension = value % DIMENSIONS
        vector[dimension] = (vector[dimension] ?? 0) + (value & 0x10000 ? 1 : -1)
      }
    }
  }
  return vector
}

export interface EmbeddingServer extends AsyncDisposable {
  /** Base URL of its OpenAI-compatible API. */
  readonly url: string
}

/** Starts a weak embedder without a model on loopback. */
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
