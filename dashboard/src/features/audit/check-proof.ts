import type { AnswerOf } from '../../api/operations.ts'
import { canonicalJson } from './canonical-json.ts'

export type Proof = AnswerOf<'get', '/admin/v1/audit/{id}/proof'>

type Bytes = Uint8Array<ArrayBuffer>

/** What was checked, in this browser: the server is not believed, only its signing key. */
export interface Checked {
  /** The record is the one that its hash was made of. */
  readonly record: boolean
  /** The hash is one of those that the checkpoint was made over. */
  readonly inclusion: boolean
  /** The checkpoint is the one that was signed. */
  readonly signature: boolean
}

/** Checks an inclusion proof (RFC 9162 §2.1.3.2) and the signature of its checkpoint. */
export async function checkProof({ record, path, checkpoint, public_key }: Proof): Promise<Checked> {
  const { hash, ...place } = record.integrity
  const own = await sha256(utf8(canonicalJson({ ...record, integrity: place })))
  const leaf = await sha256(bytes([0]), fromHex(hash))
  const root = await rootOf(leaf, place.sequence - 1, checkpoint.size, path.map(fromHex))
  return {
    record: toHex(own) === hash,
    inclusion: root !== undefined && toHex(root) === checkpoint.root && record.workspace_id === checkpoint.workspace_id,
    signature: await isSigned(checkpoint, public_key),
  }
}

/** The root that a leaf and its audit path lead to; undefined when the path does not fit the tree. */
async function rootOf(leaf: Bytes, index: number, size: number, path: readonly Bytes[]): Promise<Bytes | undefined> {
  if (index >= size) return undefined
  let node = leaf
  let at = index
  let last = size - 1
  for (const sibling of path) {
    if (last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      node = await sha256(bytes([1]), sibling, node)
      while (at % 2 === 0 && at !== 0) {
        at = Math.floor(at / 2)
        last = Math.floor(last / 2)
      }
    } else {
      node = await sha256(bytes([1]), node, sibling)
    }
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? node : undefined
}

/** What chains checkpoints is signed apart (`previous`). */
async function isSigned(
  { signature, frontier: _, previous: __, ...signed }: Proof['checkpoint'],
  publicKey: string,
): Promise<boolean> {
  const key = await crypto.subtle.importKey(
    'spki',
    fromBase64(publicKey.replaceAll(/-----[^-]+-----|\s/g, '')),
    'Ed25519',
    false,
    ['verify'],
  )
  return crypto.subtle.verify('Ed25519', key, fromBase64(signature), utf8(canonicalJson(signed)))
}

async function sha256(...parts: readonly Bytes[]): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob([...parts]).arrayBuffer()))
}

const bytes = (values: readonly number[]): Bytes => Uint8Array.from(values)
const utf8 = (text: string): Bytes => new TextEncoder().encode(text)
const fromHex = (hex: string): Bytes => bytes((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)))
const toHex = (value: Bytes): string => [...value].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
