import type { DemoFile } from './demo-file.ts'

export interface BannerFacts {
  /** Where the server answers, without a slash at the end. */
  readonly base: string
  readonly demo?: { readonly file: string; readonly content: DemoFile; readonly providers: readonly string[] } | undefined
  /** The first admin token, when this start has made it. */
  readonly adminTokenFile?: string | undefined
  /** Where the first owner signs in, as long as there is none. */
  readonly welcome?: string | undefined
}

/** What a person sees who has just typed `npm start`. Goes to standard error: standard output is the log's. */
export function banner({ base, demo, adminTokenFile, welcome }: BannerFacts): string {
  const rows = [
    ['Dashboard', `${base}/dashboard/`],
    ...(welcome === undefined ? [] : [['First login', welcome]]),
    ...(demo ? [['Sign in as', `${demo.content.dashboard.email}   ${demo.content.dashboard.password}`]] : []),
    ['API', `${base}/v1`],
    ['Documentation', `${base}/docs`],
    ...(adminTokenFile === undefined ? [] : [['Admin token', adminTokenFile]]),
    ...(demo ? demoRows(demo) : []),
  ]
  const width = Math.max(...rows.map(([name = '']) => name.length)) + 3
  const table = rows.map(([name = '', value = '']) => `  ${name.padEnd(width)}${value}`)
  return ['', `  Gatehouse is running at ${base}`, '', ...table, ...(demo ? trial(base, demo.content) : []), '', ''].join('\n')
}

const demoRows = ({ file, content, providers }: NonNullable<BannerFacts['demo']>): string[][] => [
  ['API key', content.applications[0]?.api_key ?? ''],
  ['More keys, users', file],
  ['Models', ['built-in demo', ...providers].join(', ')],
]

const trial = (base: string, { applications }: DemoFile): string[] => [
  '',
  '  Try it:',
  '',
  `    curl ${base}/v1/chat/completions \\`,
  `      -H 'Authorization: Bearer ${applications[0]?.api_key}' \\`,
  `      -H 'Content-Type: application/json' \\`,
  `      -d '{"messages": [{"role": "user", "content": "Draft a friendly reply to a customer."}]}'`,
]
