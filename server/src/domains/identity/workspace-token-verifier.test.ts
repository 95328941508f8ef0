import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { asyncCpuMs } from '../../../test/support/cpu-time.ts'
import { generateUserTokenKeys, signUserToken } from '../../tools/demo/user-tokens.ts'
import { fillWorkspaceSettings, type WorkspacePatch } from './workspace.ts'
import { WorkspaceTokenVerifier } from './workspace-token-verifier.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
const epoch = (seconds: number) => NOW.getTime() / 1_000 + seconds
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const noFetch = async () => {
  throw new Error('This test must not fetch keys.')
}

interface Pair {
  readonly privateJwk: JWK
  readonly publicJwk: JWK
}

async function pairOf(alg: 'RS256' | 'ES256'): Promise<Pair> {
  const pair = await generateKeyPair(alg, { extractable: true })
  const fields = { kid: alg, alg, use: 'sig' }
  return {
    privateJwk: { ...(await exportJWK(pair.privateKey)), ...fields },
    publicJwk: { ...(await exportJWK(pair.publicKey)), ...fields },
  }
}

const keys = await generateUserTokenKeys()
const rsa = await pairOf('RS256')
const ec = await pairOf('ES256')

const newVerifier = (settings: NonNullable<WorkspacePatch['settings']> = {}) =>
  new WorkspaceTokenVerifier(
    fillWorkspaceSettings({ jwks: { keys: [keys.publicJwk, rsa.publicJwk, ec.publicJwk] }, ...settings }),
    noFetch,
  )
const token = (claims: object = {}, privateJwk = keys.privateJwk) =>
  signUserToken(privateJwk, { sub: 'ann', issuedAt: NOW, expiresAt: at(300), ...claims })

/** Signs any header and payload with the Workspace's Ed25519 key. */
function signRaw(header: object, payload: object): string {
  const content = `${base64({ alg: 'EdDSA', kid: keys.publicJwk.kid, ...header })}.${base64(payload)}`
  const key = createPrivateKey({ key: keys.privateJwk as import('node:crypto').JsonWebKey, format: 'jwk' })
  return `${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`
}

const verify = (text: string, verifier = newVerifier(), now = NOW) => verifier.verify(text, now)

async function expectRefusal(text: string, reason?: string, verifier = newVerifier(), now = NOW): Promise<void> {
  const verdict = await verifier.verify(text, now)
  expect(verdict).toEqual({ ok: false, reason: reason ?? expect.any(String) })
  expect(JSON.stringify(verdict)).not.toContain('ann')
}

describe('accepted', () => {
  test('user token: user has the claims of the token, missing claims are empty', async () => {
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

  test('user token: claims are read by the names of the Workspace', async () => {
    const verifier = newVerifier({
      claims: { id: 'email', role: 'https://acme.test/role', department: 'dept', attributes: 'extra' },
    })
    const named = signRaw(
      {},
      { sub: 'x', email: 'ann@acme.test', 'https://acme.test/role': 'lead', dept: 'it', extra: { a: 1 }, exp: epoch(300) },
    )
    expect(await verify(named, verifier)).toEqual({
      ok: true,
      user: { id: 'ann@acme.test', role: 'lead', department: 'it', attributes: { a: 1 }, verified: true },
    })
  })

  test('user token: accepted until 30 s after exp and from 30 s before nbf', async () => {
    const brief = await token({ expiresAt: at(10) })
    expect(await verify(brief, newVerifier(), at(39))).toMatchObject({ ok: true })
    await expectRefusal(brief, 'ERR_JWT_EXPIRED', newVerifier(), at(41))
    expect(await verify(signRaw({}, { sub: 'ann', exp: epoch(300), nbf: epoch(30) }))).toMatchObject({ ok: true })
  })

  test('user token: refused after expiry when it was verified before', async () => {
    const verifier = newVerifier()
    const brief = await token({ expiresAt: at(20) })
    expect(await verify(brief, verifier)).toMatchObject({ ok: true })
    await expectRefusal(brief, 'ERR_JWT_EXPIRED', verifier, at(51))
  })

  test('user token: signature is checked once when the token is used again', async () => {
    const verifier = newVerifier()
    const good = await token({}, rsa.privateJwk)
    await verify(good, verifier)
    const first = await asyncCpuMs(async () => {
      for (let i = 0; i < 500; i++) await verify(good, newVerifier())
    })
    const again = await asyncCpuMs(async () => {
      for (let i = 0; i < 5_000; i++) await verify(good, verifier)
    })
    expect(again / 5_000).toBeLessThan(first / 500 / 2)
  })
})

describe('refused', () => {
  test('user token: refused without a signature', async () => {
    const payload = base64({ sub: 'ann', exp: epoch(300) })
    for (const alg of ['none', 'None', 'NONE', '', null]) {
      await expectRefusal(`${base64({ alg, typ: 'JWT' })}.${payload}.`)
      await expectRefusal(`${base64({ alg, kid: keys.publicJwk.kid })}.${payload}.AAAA`)
    }
    const [head, body, signature] = (await token()).split('.')
    for (const text of [`${head}.${body}.`, `${head}.${body}`, `${head}..${signature}`, `.${body}.${signature}`])
      await expectRefusal(text)
  })

  test('user token: refused with HMAC when a public key is the secret', async () => {
    const payload = base64({ sub: 'ann', exp: epoch(300) })
    const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' })
    for (const secret of [JSON.stringify(rsa.publicJwk), rsa.publicJwk.n ?? '', keys.publicJwk.x ?? '', pem, '']) {
      for (const kid of [rsa.publicJwk.kid, keys.publicJwk.kid, undefined]) {
        const content = `${base64({ alg: 'HS256', kid })}.${payload}`
        await expectRefusal(
          `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`,
          'ERR_JOSE_ALG_NOT_ALLOWED',
        )
      }
    }
  })

  test('user token: refused when the algorithm is not allowed or not that of the key', async () => {
    const payload = base64({ sub: 'ann', exp: epoch(300) })
    for (const alg of ['RS384', 'RS512', 'PS256', 'ES384', 'ES512', 'ES256K', 'RSA1_5', 'dir']) {
      await expectRefusal(`${base64({ alg, kid: rsa.publicJwk.kid })}.${payload}.AAAA`, 'ERR_JOSE_ALG_NOT_ALLOWED')
    }
    await expectRefusal(signRaw({ alg: 'RS256', kid: rsa.publicJwk.kid }, { sub: 'ann', exp: epoch(300) }))
    await expectRefusal(signRaw({ kid: rsa.publicJwk.kid }, { sub: 'ann', exp: epoch(300) }))
  })

  test('user token: refused when its key is in the token or at a URL of the token', async () => {
    const attacker = await generateUserTokenKeys()
    await expectRefusal(await token({}, attacker.privateJwk), 'ERR_JWKS_NO_MATCHING_KEY')
    await expectRefusal(
      await token({}, { ...attacker.privateJwk, kid: keys.publicJwk.kid ?? '' }),
      'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    )
    const key = createPrivateKey({ key: attacker.privateJwk as import('node:crypto').JsonWebKey, format: 'jwk' })
    for (const extra of [
      { jwk: attacker.publicJwk },
      { jku: 'http://127.0.0.1:9/keys' },
      { x5u: 'http://127.0.0.1:9/' },
      { x5c: ['AAAA'] },
    ]) {
      for (const kid of [keys.publicJwk.kid, attacker.publicJwk.kid]) {
        const content = `${base64({ alg: 'EdDSA', kid, ...extra })}.${base64({ sub: 'ann', exp: epoch(300) })}`
        await expectRefusal(`${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`)
      }
    }
  })

  test('user token: refused when the key id is a path, a query or not a string', async () => {
    for (const kid of ['../../../etc/passwd', '/dev/null', "' or 1=1 --", '__proto__', 'constructor', '', 7, null, {}, ['a']]) {
      await expectRefusal(signRaw({ kid }, { sub: 'ann', exp: epoch(300) }))
    }
  })

  test('user token: refused when it has crit or b64 headers', async () => {
    const payload = { sub: 'ann', exp: epoch(300) }
    await expectRefusal(signRaw({ crit: ['exp'] }, payload))
    await expectRefusal(signRaw({ b64: false, crit: ['b64'] }, payload))
    await expectRefusal(signRaw({ crit: [] }, payload))
  })

  test('user token: refused when a letter has changed', async () => {
    const good = await token()
    for (let index = 0; index < good.length - 1; index += 7) {
      const changed = good.slice(0, index) + (good[index] === 'A' ? 'B' : 'A') + good.slice(index + 1)
      if (changed !== good) await expectRefusal(changed)
    }
  })

  test('user token: refused when it is expired, not valid yet or without exp', async () => {
    await expectRefusal(await token({ expiresAt: at(-31) }), 'ERR_JWT_EXPIRED')
    await expectRefusal(signRaw({}, { sub: 'ann', exp: epoch(300), nbf: epoch(31) }))
    for (const exp of [undefined, null, 'tomorrow', String(epoch(300)), [epoch(300)]])
      await expectRefusal(signRaw({}, { sub: 'ann', exp }))
  })

  test('user token: refused when audience or issuer is not that of the Workspace', async () => {
    const verifier = newVerifier({ issuer: 'https://idp.test', audience: ['gatehouse', 'spare'] })
    const [iss, exp] = ['https://idp.test', epoch(300)]
    for (const aud of ['gatehouse', ['x', 'spare']]) {
      expect(await verify(signRaw({}, { sub: 'ann', iss, aud, exp }), verifier)).toMatchObject({ ok: true })
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
      await expectRefusal(signRaw({}, { sub: 'ann', exp, ...claims }), 'ERR_JWT_CLAIM_VALIDATION_FAILED', verifier)
    }
  })

  test('user token: refused when it has no user, a claim of a wrong type or too many projects', async () => {
    const expectRefused = (claims: object) => expectRefusal(signRaw({}, { sub: 'ann', exp: epoch(300), ...claims }))
    for (const sub of [undefined, '', 7, null, ['ann'], 'x'.repeat(201), 'a\u0000']) await expectRefused({ sub })
    for (const role of [[['admin']], ['admin', 7], 7, {}]) await expectRefused({ role })
    for (const groups of [['a', null], 7, 'x'.repeat(201)]) await expectRefused({ groups })
    await expectRefused({ department: {} })
    for (const attributes of ['all', ['all'], { projects: Array(1_001).fill('p') }]) await expectRefused({ attributes })
  })

  test('user token: claim is empty when its name is a property of every object', async () => {
    const verifier = newVerifier({ claims: { role: 'constructor', department: 'toString', attributes: '__proto__' } })
    expect(await verify(await token(), verifier)).toMatchObject({
      ok: true,
      user: { role: '', department: '', attributes: {} },
    })
  })

  test.each(['', '.', '..', 'a.b.c', 'garbage', 'é.é.é', '\0', 'a.b.c.d.e', `${'.'.repeat(1_000)}`, `${'A'.repeat(16_000)}`])(
    'user token: refused when it is %.20j',
    (text) => expectRefusal(text),
  )

  test('user token: refused without parsing when it is longer than 16 KiB', async () => {
    const ms = await asyncCpuMs(async () => {
      await expectRefusal(await token({ attributes: { a: 'x'.repeat(16_384) } }), 'too_long')
      await expectRefusal(`${'a'.repeat(50_000_000)}.b.c`, 'too_long')
    })
    expect(ms).toBeLessThan(5_000)
  })
})
