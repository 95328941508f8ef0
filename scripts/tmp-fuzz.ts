import { isDocumentedLoss } from '../server/test/fuzz/codecs/documented-losses.ts'
import { decode, encode, UPSTREAMS } from '../server/test/fuzz/codecs/forward.ts'
import { jsonOf, MARK, MARKED_NUMBER, Mutator, placesOf, vocabularyOf } from '../server/test/fuzz/codecs/mutations.ts'
import { REQUEST_BODIES } from '../server/test/fuzz/codecs/request-bodies.ts'
import { Random } from '../server/test/support/classification/random.ts'
const V = vocabularyOf(Object.values(REQUEST_BODIES).flat()); const N = Number(process.argv[2] ?? 400); const SEED = Number(process.argv[3] ?? 20261123)
const dec = (b: string) => [...Array.from(b.matchAll(/data:text\/plain[^,]*;base64,([\w+/=]*)/g), ([, t]) => Buffer.from(t ?? '', 'base64')), ...Array.from(b.matchAll(/hex-([\da-f]+)/g), ([, t]) => Buffer.from(t ?? '', 'hex'))].join(' ')
const marks = ({ value }: any) => typeof value === 'string' ? value.match(MARK) ?? [] : typeof value === 'number' && MARKED_NUMBER.test(String(value)) ? [String(value)] : []
for (const api of Object.keys(REQUEST_BODIES) as any[]) {
  const lost = new Map<string, string>()
  let random = new Random(SEED); const mut = new Mutator(random, V)
  for (let i = 0; i < N; i++) {
    const body = mut.mutate(random.pick((REQUEST_BODIES as any)[api])) as any
    const d = decode(api, jsonOf(body), random.number(4) === 0 ? 'carry' : 'refuse'); if (!d.ok) continue
    for (const [name, u] of Object.entries(UPSTREAMS)) { if (name === api && api !== 'openai-responses') continue
      const e = encode(u, d.request); if (!e.ok) continue
      const to = (name === 'bedrock' ? 'anthropic-messages' : name) as any; const text = e.body + dec(e.body)
      for (const p of placesOf(body)) if (!isDocumentedLoss(api, to, p, body) && !marks(p).every((m: string) => text.includes(m))) lost.set(`${name}: ${p.path}`, jsonOf(body).slice(0, 3000)) }
  }
  random = new Random(SEED)
  for (let i = 0; i < N; i++) {
    const base = random.pick((REQUEST_BODIES as any)[api]) as any; const body = structuredClone(base)
    const place = random.pick(placesOf(body).slice(1)); const { parent, key, value } = place
    if (typeof value !== 'boolean' && typeof value !== 'string') continue
    const other = typeof value === 'boolean' ? !value : random.pick(V.words); if (other === value) continue
    Object.assign(parent as object, { [key]: other })
    const [b, a] = [decode(api, jsonOf(base), 'refuse'), decode(api, jsonOf(body), 'refuse')]; if (!b.ok || !a.ok) continue
    for (const [name, u] of Object.entries(UPSTREAMS)) { const [x, y] = [encode(u, b.request), encode(u, a.request)]; const to = (name === 'bedrock' ? 'anthropic-messages' : name) as any
      if (x.ok && y.ok && x.body === y.body && !isDocumentedLoss(api, to, place, body)) lost.set(`FLAG ${name}: ${place.path} ${value} -> ${other}`, '') }
  }
  for (const [k, v] of lost) console.log(api, k, process.argv[4] ? v : '')
}
