import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { AwsV4Signer } from 'aws4fetch'
import pino from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { SIGNED_AT, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { startLoopback } from '../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { type Checkpoint, checkpointHash } from '../checkpoints/checkpoint.ts'
import { CheckpointDelivery } from './checkpoint-delivery.ts'
import { bucketDestination, type CheckpointDestination, fileDestination, httpDestination } from './open-destinations.ts'
import { openConnection } from './send-request.ts'

/** A place outside: answers with `status`, or not at all (0). */
async function startReceiver() {
  const calls: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[] = []
  const state = { calls, status: 200 }
  const server = await startLoopback(({ method = '', url: path = '', headers }, response, body) => {
    calls.push({ method, path, headers, body: body.toString() })
    if (state.status !== 0) response.writeHead(state.status, { location: 'http://127.0.0.1:1/' }).end('secret detail')
  })
  return Object.assign(state, server)
}

describe.each(testDatabases())('CheckpointDelivery on $name', ({ open }) => {
  const log = useAuditLog(open)
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let logged: string[]
  const folder = temporaryFolder()
  beforeEach(async () => {
    receiver = await startReceiver()
    logged = []
    return receiver.close
  })

  async function sign(count = 1): Promise<Checkpoint[]> {
    const made: Checkpoint[] = []
    for (let index = 0; index < count; index++) {
      await log().append(2)
      made.push((await log().sign()) as Checkpoint)
    }
    return made
  }
  const deliveryTo = (place: CheckpointDestination, writeMs?: number) => {
    const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
    const delivery = new CheckpointDelivery(place, { db: log().db, clock: { now: () => SIGNED_AT }, log: logger }, writeMs)
    return { run: () => delivery.run(log().workspaceId, log().keys), state: () => delivery.state }
  }
  const http = (token?: string, timeoutMs?: number) =>
    deliveryTo(httpDestination({ url: `${receiver.url}/kept?a=1`, token }, openConnection(timeoutMs)))
  const sizes = () => receiver.calls.map(({ body }) => JSON.parse(body).size)

  test('file: appends one line per checkpoint in order, also after a restart and a truncated line', async () => {
    const path = join(folder, `${log().workspaceId}.ndjson`)
    const first = await sign(3)
    await deliveryTo(fileDestination(path)).run()
    expect(readFileSync(path, 'utf8')).toBe(first.map((checkpoint) => `${JSON.stringify(checkpoint)}\n`).join(''))
    appendFileSync(path, '{"object":"audit_ch')
    const [next] = await sign()
    await deliveryTo(fileDestination(path)).run()
    const lines = readFileSync(path, 'utf8').split('\n')
    expect(lines[3]).toBe('{"object":"audit_ch')
    expect(lines.slice(4)).toEqual([JSON.stringify(next), ''])
  })

  test('file: counts a failure when the file cannot be written', async () => {
    const path = join(folder, 'not-a-folder')
    writeFileSync(path, '')
    await sign()
    const delivery = deliveryTo(fileDestination(join(path, 'below')))
    await delivery.run()
    expect(delivery.state()).toMatchObject({ place: 'file', failures: 1, waiting: 1 })
  })

  test('bucket: sends a signed PUT with retention and checksums per checkpoint', async () => {
    const [checkpoint] = await sign()
    const secret = { accessKeyId: 'AKID', secretAccessKey: 'very secret' }
    const options = { url: `${receiver.url}/evidence/gatehouse`, region: 'eu-central-1', lockDays: 400, ...secret }
    await deliveryTo(bucketDestination({ ...options, lockMode: 'COMPLIANCE' })).run()
    const [call] = receiver.calls
    if (!call) throw new Error('nothing was sent')
    expect(call).toMatchObject({ method: 'PUT', path: `/evidence/gatehouse/${log().workspaceId}/0000000000000002.json` })
    expect(JSON.parse(call.body)).toEqual(checkpoint)
    expect(call.headers).toMatchObject({
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'x-amz-object-lock-retain-until-date': '2027-04-05T00:00:00.000Z',
      'x-amz-content-sha256': createHash('sha256').update(call.body).digest('hex'),
      'content-md5': createHash('md5').update(call.body).digest('base64'),
    })
    // As the store checks it: the same signature from the headers that it says are signed.
    const { authorization = '', host: _, ...sent } = call.headers
    const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
    expect(names).toEqual(
      expect.arrayContaining(['content-md5', 'x-amz-object-lock-mode', 'x-amz-object-lock-retain-until-date']),
    )
    const headers = Object.fromEntries(names.filter((name) => name !== 'host').map((name) => [name, String(sent[name])]))
    const signer = { method: 'PUT', url: receiver.url + call.path, headers, region: 'eu-central-1', service: 's3', ...secret }
    const again = await new AwsV4Signer({ ...signer, datetime: String(sent['x-amz-date']) }).sign()
    expect(again.headers.get('authorization')).toBe(authorization)
  })

  test('http: sends a POST with the token and an idempotency key per checkpoint', async () => {
    const [checkpoint] = await sign()
    await http('t0ken').run()
    const [call] = receiver.calls
    expect(call).toMatchObject({ method: 'POST', path: '/kept?a=1', headers: { authorization: 'Bearer t0ken' } })
    expect(JSON.parse(call?.body ?? '')).toEqual(checkpoint)
    expect(call?.headers['idempotency-key']).toBe(checkpointHash(checkpoint as Checkpoint))
  })

  test.each([500, 403, 302])(
    'http: counts a failure and sends the same checkpoint again when the response is %i',
    async (status) => {
      await sign(3)
      const delivery = http('t0ken')
      receiver.status = status
      await delivery.run()
      await delivery.run()
      expect(sizes()).toEqual([2, 2])
      expect(delivery.state()).toMatchObject({ place: 'http', failures: 2, waiting: 3, lagSeconds: 0 })
      expect(logged.join()).toContain(`returned status ${status}`)
      expect(logged.join()).not.toMatch(/t0ken|secret detail/)
      receiver.status = 200
      await delivery.run()
      expect(sizes()).toEqual([2, 2, 2, 4, 6])
      expect(delivery.state()).toMatchObject({ failures: 2, waiting: 0 })
    },
  )

  test('http: pauses after repeated failures', async () => {
    await sign(2)
    receiver.status = 503
    const delivery = http()
    for (let round = 0; round < 8; round++) await delivery.run()
    expect(receiver.calls).toHaveLength(3)
    expect(delivery.state()).toMatchObject({ failures: 3, waiting: 2 })
  })

  test('http: counts a failure when the response exceeds the time limit', async () => {
    await sign()
    receiver.status = 0
    const delivery = http(undefined, 200)
    await delivery.run()
    expect(delivery.state()).toMatchObject({ failures: 1, waiting: 1 })
  })

  test('http: never connects to the address of a metadata service', async () => {
    await sign()
    const delivery = deliveryTo(httpDestination({ url: 'http://169.254.169.254/latest', token: undefined }))
    await delivery.run()
    expect(delivery.state()).toMatchObject({ failures: 1 })
    expect(logged.join()).toContain('ERR_ADDRESS_REFUSED')
  })

  test('continues after the last delivered checkpoint of each destination after a restart', async () => {
    await sign(2)
    await http().run()
    await sign(2)
    await http().run()
    expect(sizes()).toEqual([2, 4, 6, 8])
    await deliveryTo(httpDestination({ url: `${receiver.url}/other`, token: undefined })).run()
    expect(sizes()).toEqual([2, 4, 6, 8, 2, 4, 6, 8])
  })

  test('skips an altered checkpoint, counts a failure and delivers the others', async () => {
    const [, altered] = await sign(3)
    await log().intruder.changeCheckpoint(altered?.size ?? 0, { root: Buffer.alloc(32) })
    const delivery = http()
    await delivery.run()
    expect(sizes()).toEqual([2, 6])
    expect(delivery.state()).toMatchObject({ failures: 1, waiting: 0 })
    expect(logged.join()).toContain('was altered')
  })

  test('counts a failure and starts no other write when a write hangs, and continues when it ends', async () => {
    await sign(2)
    const written: number[] = []
    let attempts = 0
    const { promise: back, resolve: comeBack } = Promise.withResolvers<void>()
    const place: CheckpointDestination = {
      kind: 'file',
      key: 'hanging',
      write: async ({ size }) => {
        attempts += 1
        await back
        written.push(size)
      },
      close: async () => {},
    }
    const delivery = deliveryTo(place, 50)
    await delivery.run()
    await delivery.run()
    expect(attempts).toBe(1)
    expect(delivery.state()).toMatchObject({ failures: 2, waiting: 2 })
    comeBack()
    await back
    await delivery.run()
    expect(written).toEqual([2, 2, 4])
    expect(delivery.state()).toMatchObject({ waiting: 0 })
  })

  test('delivers all checkpoints again when the stored position was forged', async () => {
    await sign(1)
    await http().run()
    await sign(2)
    await log().db.updateTable('audit_delivery').set({ size: 6 }).where('workspace_id', '=', log().intruder.workspace).execute()
    await http().run()
    expect(sizes()).toEqual([2, 2, 4, 6])
  })
})
