import type { ResponseOf } from '../../api/operations.ts'
import { canonicalJson } from './canonical-json.ts'

export type Proof = ResponseOf<'get', '/admin/v1/audit/{id}/proof'>

type Bytes = Uint8Array<ArrayBuffer>

/** Results of the verification in the browser, which trusts only the Workspace's signing key. */
export interface ProofChecks {
  /** The record matches its hash. */
  readonly record: boolean
  /** The checkpoint covers the hash. */
  readonly inclusion: boolean
  /** The signature of the checkpoint is valid. */
  readonly signature: boolean
}

/** Verifies an inclusion proof (RFC 9162 §2.1.3.2) and the signature of its checkpoint. */
export async function verifyProof({ record, path, checkpoint, public_key }: Proof): Promise<ProofChecks> {
  const { hash, ...position } = record.integrity
  const computed = await sha256(utf8(canonicalJson({ ...record, integrity: position })))
  const leaf = await sha256(bytes([0]), fromHex(hash))
  const root = await rootOf(leaf, position.sequence - 1, checkpoint.size, path.map(fromHex))
  return {
    record: toHex(computed) === hash,
    inclusion: root !== undefined && toHex(root) === checkpoint.root && record.workspace_id === checkpoint.workspace_id,
    signature: await isSigned(checkpoint, public_key),
  }
}

/** Computes the root from a leaf and its audit path; undefined if the path does not fit the tree. */
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

/** `previous` has its own signature and `frontier` is not signed. */
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
