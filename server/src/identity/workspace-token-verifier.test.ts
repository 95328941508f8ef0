import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { asyncCpuMs } from '../../test/support/cpu-time.ts'
import { generateUserTokenKeys, signUserToken } from '../demo/user-tokens.ts'
import { fillWorkspaceSettings, type WorkspacePatch } from './workspace.ts'
import { WorkspaceTokenVerifier } from './workspace-token-verifier.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
const epoch = (seconds: number) => NOW.getTime() / 1_000 + seconds
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const noFetch = async () => {
  throw new Error('nothing is fetched here')
}

interface Pair {
  readonly privateJwk: JWK
  readonly publicJwk: JWK
}
let keys: Pair
let rsa: Pair
let ec: Pair

async function pairOf(alg: 'RS256' | 'ES256'): Promise<Pair> {
  const pair = await generateKeyPair(alg, { extractable: true })
  const about = { kid: alg, alg, use: 'sig' }
  return {
    privateJwk: { ...(await exportJWK(pair.privateKey)), ...about },
    publicJwk: { ...(await exportJWK(pair.publicKey)), ...about },
  }
}

beforeAll(async () => {
  keys = await generateUserTokenKeys()
  rsa = await pairOf('RS256')
  ec = await pairOf('ES256')
})

const trustOf = (settings: NonNullable<WorkspacePatch['settings']> = {}) =>
  new WorkspaceTokenVerifier(
    fillWorkspaceSettings({ jwks: { keys: [keys.publicJwk, rsa.publicJwk, ec.publicJwk] }, ...settings }),
    noFetch,
  )
const token = (claims: object = {}, privateJwk = keys.privateJwk) =>
  signUserToken(privateJwk, { sub: 'ann', issuedAt: NOW, expiresAt: at(300), ...claims })

/** A token that says anything, signed by the Workspace's Ed25519 key. */
function raw(header: object, payload: object): string {
  const content = `${base64({ alg: 'EdDSA', kid: keys.publicJwk.kid, ...header })}.${base64(payload)}`
  const key = createPrivateKey({ key: keys.privateJwk as import('node:crypto').JsonWebKey, format: 'jwk' })
  return `${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`
}

const verify = (text: string, trust = trustOf(), now = NOW) => trust.verify(text, now)

async function refused(text: string, reason?: string, trust = trustOf(), now = NOW): Promise<void> {
  const verdict = await trust.verify(text, now)
  expect(verdict).toEqual({ ok: false, reason: reason ?? expect.any(String) })
  expect(JSON.stringify(verdict)).not.toContain('ann')
}

describe('a good one', () => {
  test('names its user, and nothing that it does not say', async () => {
    const full = await token({ role: 'analyst', department: 'finance', attributes: { projects: ['p1'] } })
    expect(await verify(full)).toEqual({
      ok: true,
      user: { id: 'ann', role: 'analyst', department: 'finance', attributes: { projects: ['p1'] }, verified: true },
    })
    expect(await verify(await token())).toEqual({
      ok: true,
      user: { id: 'ann', role: '', department: '', attributes: {}, verified: true },
    })
  })

  test('may be signed with RS256 and ES256', async () => {
    for (const pair of [rsa, ec]) expect(await verify(await token({}, pair.privateJwk))).toMatchObject({ ok: true })
  })

  test('has its claims under the Workspace’s names', async () => {
    const trust = trustOf({ claims: { id: 'email', role: 'https://acme.test/role', department: 'dept', attributes: 'extra' } })
    const named = raw(
      {},
      { sub: 'x', email: 'ann@acme.test', 'https://acme.test/role': 'lead', dept: 'it', extra: { a: 1 }, exp: epoch(300) },
    )
    expect(await verify(named, trust)).toEqual({
      ok: true,
      user: { id: 'ann@acme.test', role: 'lead', department: 'it', attributes: { a: 1 }, verified: true },
    })
  })

  test('is good for 30 s around its times, no longer', async () => {
    const brief = await token({ expiresAt: at(10) })
    expect(await verify(brief, trustOf(), at(39))).toMatchObject({ ok: true })
    await refused(brief, 'ERR_JWT_EXPIRED', trustOf(), at(41))
    expect(await verify(raw({}, { sub: 'ann', exp: epoch(300), nbf: epoch(30) }))).toMatchObject({ ok: true })
  })

  test('that was verified before is not taken on sight beyond its expiry', async () => {
    const trust = trustOf()
    const brief = await token({ expiresAt: at(20) })
    expect(await verify(brief, trust)).toMatchObject({ ok: true })
    await refused(brief, 'ERR_JWT_EXPIRED', trust, at(51))
  })

  test('is verified once: using it again costs no signature', async () => {
    const trust = trustOf()
    const good = await token({}, rsa.privateJwk)
    await verify(good, trust)
    const ms = await asyncCpuMs(async () => {
      for (let i = 0; i < 5_000; i++) await verify(good, trust)
    })
    expect(ms / 5_000).toBeLessThan(0.05)
  })
})

describe('is refused', () => {
  test('without a signature', async () => {
    const payload = base64({ sub: 'ann', exp: epoch(300) })
    for (const alg of ['none', 'None', 'NONE', '', null]) {
      await refused(`${base64({ alg, typ: 'JWT' })}.${payload}.`)
      await refused(`${base64({ alg, kid: keys.publicJwk.kid })}.${payload}.AAAA`)
    }
    const [head, body, signature] = (await token()).split('.')
    for (const text of [`${head}.${body}.`, `${head}.${body}`, `${head}..${signature}`, `.${body}.${signature}`])
      await refused(text)
  })

  test('with HMAC, whatever public value serves as the secret', async () => {
    const payload = base64({ sub: 'ann', exp: epoch(300) })
    const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' })
    for (const secret of [JSON.stringify(rsa.publicJwk), rsa.publicJwk.n ?? '', keys.publicJwk.x ?? '', pem, '']) {
      for (const kid of [rsa.publicJwk.kid, keys.publicJwk.kid, undefined]) {
        const content = `${base64({ alg: 'HS256', kid })}.${payload}`
        await refused(
          `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`,
          'ERR_JOSE_ALG_NOT_ALLOWED',
        )
      }
    }
  })

  test('with an algorithm that is not on the list, or not the key’s', async () => {
    const payload = base64({ sub: 'ann', exp: epoch(300) })
    for (const alg of ['RS384', 'RS512', 'PS256', 'ES384', 'ES512', 'ES256K', 'RSA1_5', 'dir']) {
      await refused(`${base64({ alg, kid: rsa.publicJwk.kid })}.${payload}.AAAA`, 'ERR_JOSE_ALG_NOT_ALLOWED')
    }
    await refused(raw({ alg: 'RS256', kid: rsa.publicJwk.kid }, { sub: 'ann', exp: epoch(300) }))
    await refused(raw({ kid: rsa.publicJwk.kid }, { sub: 'ann', exp: epoch(300) }))
  })

  test('when somebody else signed it, also with a key it brings along or points to', async () => {
    const mallory = await generateUserTokenKeys()
    await refused(await token({}, mallory.privateJwk), 'ERR_JWKS_NO_MATCHING_KEY')
    await refused(
      await token({}, { ...mallory.privateJwk, kid: keys.publicJwk.kid ?? '' }),
      'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    )
    const key = createPrivateKey({ key: mallory.privateJwk as import('node:crypto').JsonWebKey, format: 'jwk' })
    for (const extra of [
      { jwk: mallory.publicJwk },
      { jku: 'http://127.0.0.1:9/keys' },
      { x5u: 'http://127.0.0.1:9/' },
      { x5c: ['AAAA'] },
    ]) {
      for (const kid of [keys.publicJwk.kid, mallory.publicJwk.kid]) {
        const content = `${base64({ alg: 'EdDSA', kid, ...extra })}.${base64({ sub: 'ann', exp: epoch(300) })}`
        await refused(`${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`)
      }
    }
  })

  test('with a key id that is a path, a query or no text', async () => {
    for (const kid of ['../../../etc/passwd', '/dev/null', "' or 1=1 --", '__proto__', 'constructor', '', 7, null, {}, ['a']]) {
      await refused(raw({ kid }, { sub: 'ann', exp: epoch(300) }))
    }
  })

  test('with headers that change its meaning', async () => {
    const payload = { sub: 'ann', exp: epoch(300) }
    await refused(raw({ crit: ['exp'] }, payload))
    await refused(raw({ b64: false, crit: ['b64'] }, payload))
    await refused(raw({ crit: [] }, payload))
  })

  test('when any letter of it has changed', async () => {
    const good = await token()
    for (let index = 0; index < good.length - 1; index += 7) {
      const changed = good.slice(0, index) + (good[index] === 'A' ? 'B' : 'A') + good.slice(index + 1)
      if (changed !== good) await refused(changed)
    }
  })

  test('expired, from the future, or without an end', async () => {
    await refused(await token({ expiresAt: at(-31) }), 'ERR_JWT_EXPIRED')
    for (const payload of [
      { exp: epoch(300), nbf: epoch(31) },
      {},
      { exp: null },
      { exp: 'tomorrow' },
      { exp: String(epoch(300)) },
      { exp: [epoch(300)] },
    ]) {
      await refused(raw({}, { sub: 'ann', ...payload }))
    }
  })

  test('for another audience or from another issuer, once the Workspace names its own', async () => {
    const trust = trustOf({ issuer: 'https://idp.test', audience: ['gatehouse', 'spare'] })
    const [iss, exp] = ['https://idp.test', epoch(300)]
    for (const aud of ['gatehouse', ['x', 'spare']]) {
      expect(await verify(raw({}, { sub: 'ann', iss, aud, exp }), trust)).toMatchObject({ ok: true })
    }
    for (const claims of [
      {},
      { iss },
      { aud: 'gatehouse' },
      { iss: 'https://idp.test/', aud: 'gatehouse' },
      { iss: 'https://evil.test', aud: 'gatehouse' },
      { iss, aud: 'gatehouse2' },
      { iss: [iss], aud: 'gatehouse' },
      { iss, aud: [['gatehouse']] },
      { iss, aud: {} },
    ]) {
      await refused(raw({}, { sub: 'ann', exp, ...claims }), 'ERR_JWT_CLAIM_VALIDATION_FAILED', trust)
    }
  })

  test('when it names no user, or says something that is no text where text belongs, or names more projects than are looked up', async () => {
    for (const claims of [
      { sub: undefined },
      { sub: '' },
      { sub: 7 },
      { sub: null },
      { sub: ['ann'] },
      { sub: 'x'.repeat(201) },
      { sub: 'a\u0000' },
      { role: ['admin', 'guest'] },
      { role: 7 },
      { department: {} },
      { attributes: 'all' },
      { attributes: ['all'] },
      { attributes: { projects: Array(1_001).fill('p') } },
    ]) {
      await refused(raw({}, { sub: 'ann', exp: epoch(300), ...claims }))
    }
  })

  test('when its claim names reach for what every object has', async () => {
    const trust = trustOf({ claims: { role: 'constructor', department: 'toString', attributes: '__proto__' } })
    expect(await verify(await token(), trust)).toMatchObject({
      ok: true,
      user: { role: '', department: '', attributes: {} },
    })
  })

  test.each(['', '.', '..', 'a.b.c', 'garbage', 'é.é.é', '\0', 'a.b.c.d.e', `${'.'.repeat(1_000)}`, `${'A'.repeat(16_000)}`])(
    '%.20j',
    (text) => refused(text),
  )

  test('unread when it is longer than 16 KiB', async () => {
    const ms = await asyncCpuMs(async () => {
      await refused(await token({ attributes: { a: 'x'.repeat(16_384) } }), 'too_long')
      await refused(`${'a'.repeat(50_000_000)}.b.c`, 'too_long')
    })
    expect(ms).toBeLessThan(1_000)
  })

  test('always, while the Workspace has no keys', async () => {
    await refused(await token(), 'no_keys_configured', new WorkspaceTokenVerifier(fillWorkspaceSettings({}), noFetch))
  })
})
