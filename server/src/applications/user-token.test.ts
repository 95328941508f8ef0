import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { seedWorkspace } from '../../test/support/seed.ts'
import type { Database } from '../db/database.ts'
import { generateUserTokenKeys, signUserToken } from './demo-tokens.ts'
import { UserTokenVerifier, WORKSPACES_TOPIC } from './user-token.ts'
import type { WorkspacePatch } from './workspace.ts'
import { updateWorkspace } from './workspace-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
const epoch = (seconds: number) => NOW.getTime() / 1_000 + seconds
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const noFetch = async () => {
  throw new Error('nothing is fetched here')
}

describe.each(testDatabases())('user tokens on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let verifier: UserTokenVerifier
  let now = NOW
  let keys: Awaited<ReturnType<typeof generateUserTokenKeys>>
  let rsa: { privateJwk: JWK; publicJwk: JWK }
  let ec: { privateJwk: JWK; publicJwk: JWK }

  const pairOf = async (alg: 'RS256' | 'ES256') => {
    const pair = await generateKeyPair(alg, { extractable: true })
    const about = { kid: alg, alg, use: 'sig' }
    return {
      privateJwk: { ...(await exportJWK(pair.privateKey)), ...about },
      publicJwk: { ...(await exportJWK(pair.publicKey)), ...about },
    }
  }
  const configure = async (settings: NonNullable<WorkspacePatch['settings']>, id = workspaceId) => {
    await database.db.transaction().execute((tx) => updateWorkspace(tx, id, { settings }))
    await database.signal.publish(WORKSPACES_TOPIC, id)
  }
  const token = (claims: object = {}, privateJwk = keys.privateJwk) =>
    signUserToken(privateJwk, { sub: 'ann', issuedAt: NOW, expiresAt: at(300), ...claims })
  /** A token that says anything, signed by the Workspace's Ed25519 key. */
  const raw = (header: object, payload: object): string => {
    const content = `${base64({ alg: 'EdDSA', kid: keys.publicJwk.kid, ...header })}.${base64(payload)}`
    const key = createPrivateKey({ key: keys.privateJwk as import('node:crypto').JsonWebKey, format: 'jwk' })
    return `${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`
  }
  const refused = async (text: string, reason?: string) => {
    const verdict = await verifier.verify(workspaceId, text)
    expect(verdict).toEqual({ ok: false, reason: reason ?? expect.any(String) })
    expect(JSON.stringify(verdict)).not.toContain('ann')
  }

  beforeAll(async () => {
    database = await open()
    keys = await generateUserTokenKeys()
    rsa = await pairOf('RS256')
    ec = await pairOf('ES256')
  })
  beforeEach(async () => {
    now = NOW
    workspaceId = (await seedWorkspace(database.db)).workspaceId
    verifier = new UserTokenVerifier({ ...database, clock: { now: () => now }, fetch: noFetch })
    await configure({ jwks: { keys: [keys.publicJwk, rsa.publicJwk, ec.publicJwk] } })
  })
  afterAll(() => database.close())

  describe('a good one', () => {
    test('names its user, and nothing that it does not say', async () => {
      const full = await token({ role: 'analyst', department: 'finance', attributes: { projects: ['p1'] } })
      expect(await verifier.verify(workspaceId, full)).toEqual({
        ok: true,
        user: { id: 'ann', role: 'analyst', department: 'finance', attributes: { projects: ['p1'] }, verified: true },
      })
      expect(await verifier.verify(workspaceId, await token())).toEqual({
        ok: true,
        user: { id: 'ann', role: '', department: '', attributes: {}, verified: true },
      })
    })

    test('may be signed with RS256 and ES256', async () => {
      for (const pair of [rsa, ec])
        expect(await verifier.verify(workspaceId, await token({}, pair.privateJwk))).toMatchObject({ ok: true })
    })

    test('has its claims under the Workspace’s names', async () => {
      await configure({ claims: { id: 'email', role: 'https://acme.test/role', department: 'dept', attributes: 'extra' } })
      const named = raw(
        {},
        { sub: 'x', email: 'ann@acme.test', 'https://acme.test/role': 'lead', dept: 'it', extra: { a: 1 }, exp: epoch(300) },
      )
      expect(await verifier.verify(workspaceId, named)).toEqual({
        ok: true,
        user: { id: 'ann@acme.test', role: 'lead', department: 'it', attributes: { a: 1 }, verified: true },
      })
    })

    test('is good for 30 s around its times, no longer', async () => {
      const brief = await token({ expiresAt: at(10) })
      now = at(39)
      expect(await verifier.verify(workspaceId, brief)).toMatchObject({ ok: true })
      now = at(41)
      await refused(brief, 'ERR_JWT_EXPIRED')
      now = NOW
      expect(await verifier.verify(workspaceId, raw({}, { sub: 'ann', exp: epoch(300), nbf: epoch(30) }))).toMatchObject({
        ok: true,
      })
    })

    test('that was verified before is not taken on sight beyond its expiry', async () => {
      const brief = await token({ expiresAt: at(20) })
      expect(await verifier.verify(workspaceId, brief)).toMatchObject({ ok: true })
      now = at(51)
      await refused(brief, 'ERR_JWT_EXPIRED')
    })

    test('counts in its own Workspace only', async () => {
      const other = (await seedWorkspace(database.db)).workspaceId
      const good = await token()
      expect(await verifier.verify(workspaceId, good)).toMatchObject({ ok: true })
      expect(await verifier.verify(other, good)).toEqual({ ok: false, reason: 'no_keys_configured' })
      await configure({ jwks: { keys: [rsa.publicJwk] } }, other)
      expect(await verifier.verify(other, good)).toMatchObject({ ok: false })
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
      await configure({ issuer: 'https://idp.test', audience: ['gatehouse', 'spare'] })
      expect(
        await verifier.verify(workspaceId, await token({ issuer: 'https://idp.test', audience: 'gatehouse' })),
      ).toMatchObject({ ok: true })
      expect(
        await verifier.verify(
          workspaceId,
          raw({}, { sub: 'ann', iss: 'https://idp.test', aud: ['x', 'spare'], exp: epoch(300) }),
        ),
      ).toMatchObject({ ok: true })
      for (const claims of [
        {},
        { issuer: 'https://idp.test' },
        { audience: 'gatehouse' },
        { issuer: 'https://idp.test/', audience: 'gatehouse' },
        { issuer: 'https://evil.test', audience: 'gatehouse' },
        { issuer: 'https://idp.test', audience: 'gatehouse2' },
      ]) {
        await refused(await token(claims), 'ERR_JWT_CLAIM_VALIDATION_FAILED')
      }
      for (const claims of [
        { iss: ['https://idp.test'], aud: 'gatehouse' },
        { iss: 'https://idp.test', aud: [['gatehouse']] },
        { iss: 'https://idp.test', aud: {} },
      ]) {
        await refused(raw({}, { sub: 'ann', exp: epoch(300), ...claims }))
      }
    })

    test('when it names no user, or says something that is no text where text belongs', async () => {
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
      ]) {
        await refused(raw({}, { sub: 'ann', exp: epoch(300), ...claims }))
      }
    })

    test('when its claim names reach for what every object has', async () => {
      await configure({ claims: { role: 'constructor', department: 'toString', attributes: '__proto__' } })
      expect(await verifier.verify(workspaceId, await token())).toMatchObject({
        ok: true,
        user: { role: '', department: '', attributes: {} },
      })
    })

    test.each(['', '.', '..', 'a.b.c', 'garbage', 'é.é.é', '\0', 'a.b.c.d.e', `${'.'.repeat(1_000)}`, `${'A'.repeat(16_000)}`])(
      '%.20j',
      (text) => refused(text),
    )

    test('unread when it is longer than 16 KiB', async () => {
      const startedAt = performance.now()
      await refused(await token({ attributes: { a: 'x'.repeat(16_384) } }), 'too_long')
      await refused(`${'a'.repeat(50_000_000)}.b.c`, 'too_long')
      expect(performance.now() - startedAt).toBeLessThan(1_000)
    })

    test('always, while the Workspace has no keys', async () => {
      await configure({ jwks: null })
      await refused(await token(), 'no_keys_configured')
    })
  })

  test('taking a key away ends the tokens it signed, also those verified before', async () => {
    const good = await token()
    expect(await verifier.verify(workspaceId, good)).toMatchObject({ ok: true })
    await configure({ jwks: { keys: [rsa.publicJwk] } })
    const startedAt = performance.now()
    let verdict = await verifier.verify(workspaceId, good)
    while (verdict.ok && performance.now() - startedAt < 1_000) verdict = await verifier.verify(workspaceId, good)
    expect(verdict.ok).toBe(false)
  })

  test('a verified token is remembered, so that using it again costs no signature', async () => {
    const good = await token({}, rsa.privateJwk)
    await verifier.verify(workspaceId, good)
    const startedAt = performance.now()
    for (let i = 0; i < 5_000; i++) await verifier.verify(workspaceId, good)
    expect((performance.now() - startedAt) / 5_000).toBeLessThan(0.05)
  })

  test('keys that cannot be read are a breakdown, not a bad token', async () => {
    await configure({ jwks: { url: 'https://idp.test/keys' } })
    await expect(verifier.verify(workspaceId, await token())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
