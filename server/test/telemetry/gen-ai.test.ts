import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { attributesOf, startOtelCollector } from '../support/otel-collector.ts'

const collector = await closeAfterAll(startOtelCollector())
const governed = await startGoverned(
  collector.environment({
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
    OTEL_METRIC_EXPORT_INTERVAL: '3600000',
  }),
)

const CLIENT = 3

test('GenAI conventions: a provider call is a span and a value in each metric, without content, when a collector is configured [GW-AUD-11]', async () => {
  const prompt = 'Good morning, marmalade'
  expectSuccess(await governed.chat(prompt, { model: 'scripted' }))
  expectSuccess(await governed.chat(prompt, { model: 'scripted', stream: false }))
  const { text } = await governed.api('GET', '/metrics')
  const labels =
    'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="scripted",gen_ai_response_model="scripted"'
  expect(text).toContain(`gen_ai_client_operation_duration_seconds_count{${labels}} 2`)
  expect(text).toMatch(new RegExp(`gen_ai_client_operation_time_to_first_chunk_seconds_count\\{${labels}\\} \\d`))
  for (const type of ['input', 'output']) {
    expect(text).toContain(`gen_ai_client_token_usage_count{${labels},gen_ai_token_type="${type}"} 2`)
  }
  await governed.close()

  const [call] = collector.spans().filter(({ kind }) => kind === CLIENT)
  expect(call?.name).toBe('chat scripted')
  expect(attributesOf(call?.attributes ?? [])).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'scripted',
    'gen_ai.response.model': 'scripted',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.usage.output_tokens': expect.any(Number),
    'http.response.status_code': 200,
  })

  const metrics = new Map(collector.metrics().map((metric) => [metric.name, metric]))
  const duration = metrics.get('gen_ai.client.operation.duration')
  const [point] = duration?.histogram?.dataPoints ?? []
  expect(duration?.unit).toBe('s')
  expect(point?.count).toBe(2)
  expect(point?.bucketCounts?.reduce((sum, count) => sum + count, 0)).toBe(2)
  expect(point?.bucketCounts).toHaveLength((point?.explicitBounds?.length ?? 0) + 1)
  expect(attributesOf(point?.attributes ?? [])).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'scripted',
    'gen_ai.response.model': 'scripted',
  })
  expect(metrics.get('gen_ai.client.token.usage')?.unit).toBe('{token}')
  expect(metrics.get('gatehouse_requests_total')?.sum?.dataPoints.length).toBeGreaterThan(0)
  expect(metrics.get('gatehouse_info')?.gauge?.dataPoints[0]?.asDouble).toBe(1)
  for (const { headers, body } of collector.received) {
    expect([headers['content-encoding'], headers['x-collector-key']]).toEqual(['gzip', 'abc'])
    expect(body.toString('latin1')).not.toContain('marmalade')
  }
})

test('GenAI conventions: a failed call has the error type, and protobuf is the encoding, when no protocol is set', async () => {
  collector.received.length = 0
  const failing = await startGoverned(
    collector.environment({
      OTEL_EXPORTER_OTLP_PROTOCOL: '',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
    }),
  )
  await failing.chat('Good morning', { model: 'scripted' })
  expect((await failing.api('GET', '/metrics')).text).toMatch(
    /gen_ai_client_operation_duration_seconds_count\{gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="scripted",error_type="connect"\} [1-9]/,
  )
  await failing.close()
  expect(new Set(collector.received.map(({ path }) => path))).toEqual(new Set(['/v1/traces', '/v1/metrics']))
  for (const { headers } of collector.received) expect(headers['content-type']).toBe('application/x-protobuf')
})
