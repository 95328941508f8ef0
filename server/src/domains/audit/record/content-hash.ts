import { hashBody, type PreparedRecord } from '../chain/chain.ts'

/** SHA-256 of a record's text without its position. */
export const hashContent = ({
  beforeIntegrity,
  afterIntegrity,
}: Pick<PreparedRecord, 'beforeIntegrity' | 'afterIntegrity'>): Buffer => hashBody(beforeIntegrity + afterIntegrity)

/** The same for a stored body. Returns undefined if the body does not have this position at `offset`. */
export function hashContentOf(
  body: string,
  offset: number,
  position: { sequence: number; prevHash: Buffer },
): Buffer | undefined {
  const text = `${position.prevHash.toString('hex')}","sequence":${position.sequence}`
  if (!body.startsWith(text, offset)) return undefined
  return hashContent({ beforeIntegrity: body.slice(0, offset), afterIntegrity: body.slice(offset + text.length) })
}
