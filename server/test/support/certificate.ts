import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

// X.509 certificates in DER, with only what TLS needs.

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const size = body.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const time = (date: Date): Buffer => der(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`))
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x04, value))

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const name = (common: string): Buffer => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(common)))))

export interface Issuer {
  readonly name: string
  readonly key: KeyObject
}

interface CertificateOptions {
  /** Undefined: the certificate is self-signed. */
  readonly issuer?: Issuer
  readonly isAuthority?: boolean
  /** Address of the host. */
  readonly ip?: readonly number[]
  readonly validUntil?: Date
}

const YEAR_MS = 31_536_000_000

/** A new certificate with its key, both as PEM. */
export function createCertificate(common: string, { issuer, isAuthority = false, ip, validUntil }: CertificateOptions = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signer = issuer ?? { name: common, key: privateKey }
  const until = validUntil ?? new Date(Date.now() + YEAR_MS)
  const extensions = [
    ...(isAuthority ? [extension('551d13', sequence(der(0x01, Buffer.from([255]))))] : []),
    ...(ip ? [extension('551d11', sequence(der(0x87, Buffer.from(ip))))] : []),
  ]
  const serial = createHash('sha1').update(common).digest().subarray(0, 8)
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), serial])),
    ECDSA_SHA256,
    name(signer.name),
    sequence(time(new Date(until.getTime() - 2 * YEAR_MS)), time(until)),
    name(common),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, signer.key))
  const base64 = sequence(content, ECDSA_SHA256, signature).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    issuer: { name: common, key: privateKey },
  }
}
