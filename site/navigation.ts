import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { API_SIDEBAR } from './api/pages.ts'

const DOCS = join(import.meta.dirname, '../docs')

interface Item {
  readonly text: string
  readonly link: string
}

/** Pages in a folder of docs/, named by their first heading. */
const decisions: readonly Item[] = readdirSync(join(DOCS, 'decisions'))
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .sort()
  .map((name) => {
    const [, heading = name] = /^# (.*)$/m.exec(readFileSync(join(DOCS, 'decisions', name), 'utf8')) ?? []
    return { text: heading.replaceAll('`', ''), link: `/decisions/${name.slice(0, -'.md'.length)}` }
  })

const section = (text: string, pages: Readonly<Record<string, string>>) => ({
  text,
  items: Object.entries(pages).map(([link, title]): Item => ({ text: title, link: `/${link}` })),
})

export const NAV = [
  { text: 'Quick start', link: '/start/quick-start' },
  { text: 'Guides', link: '/guides/' },
  { text: 'Build', link: '/build/' },
  { text: 'Reference', link: '/configuration' },
  { text: 'API', link: '/api/' },
]

const MAIN = [
  section('Start', {
    'start/quick-start': 'Quick start',
    'guides/first-hour': 'Your first hour',
    'guides/': 'All guides',
    'guides/clients': 'Connect clients',
    'guides/providers': 'Connect providers',
    'guides/sync-knowledge': 'Synchronise documents',
  }),
  section('Build', {
    'build/': 'Set up',
    'build/first-assistant': 'An assistant in 15 minutes',
    'build/chat': 'Chat',
    'build/streaming': 'Streaming',
    'build/tools': 'Tools',
    'build/knowledge': 'Knowledge',
    'build/memory': 'Memory',
    'build/users': 'Users and tokens',
    'build/conversations': 'Conversations',
    'build/assistants': 'Assistants',
    'build/webhooks': 'Webhooks',
    'build/reviews': 'Reviews in an application',
    'build/errors': 'Errors and retries',
    'build/typed-clients': 'Typed clients',
  }),
  section('Concepts', {
    'concepts/pipeline': 'The pipeline',
    'concepts/policies': 'Policies',
    'concepts/reviews': 'Reviews',
    'concepts/audit': 'Audit log',
    'concepts/permissions': 'Permissions in retrieval',
    'concepts/messaging': 'Messaging',
  }),
  section('Govern', {
    policies: 'Write policies',
    'policy-cookbook': 'Policy cookbook',
    'guides/run-reviews': 'Run the review queue',
    'guides/investigate': 'Investigate a request',
    'guides/notifications': 'Get notified',
    dashboard: 'The dashboard',
  }),
  section('Operate', {
    'guides/deploy': 'Deploy',
    'guides/single-sign-on': 'Single sign-on',
    'guides/upgrade': 'Upgrade and roll back',
    'guides/backup': 'Back up and restore',
    'guides/scale': 'Scale',
    'guides/monitor': 'Monitor',
    'guides/siem': 'SIEM',
  }),
  section('Reference', {
    configuration: 'Configuration',
    operations: 'Operations',
    'high-availability': 'High availability',
    growth: 'Growth',
    troubleshooting: 'Troubleshooting by code',
    errors: 'Errors',
    compatibility: 'Compatibility',
    fields: 'Fields',
    'contract/': 'Contract',
    'contract/common': 'Contract: common',
    'contract/gateway': 'Contract: gateway',
    'contract/messaging': 'Contract: messaging',
    'contract/administration': 'Contract: administration',
    glossary: 'Glossary',
  }),
  section('Security', {
    'security/model': 'Model and limits',
    'security/policy': 'Security policy',
    guarantees: 'Guarantees and tests',
  }),
  section('Project', {
    comparison: 'Comparison',
    support: 'Support',
    contributing: 'Contributing',
    architecture: 'Architecture',
    'decisions/0001-foundation': 'Decisions',
    accessibility: 'Accessibility',
    measurements: 'Measurements',
    changelog: 'Changelog',
  }),
]

/** Decisions and the API have lists of their own, because they are long. */
export const SIDEBAR = { '/decisions/': [{ text: 'Decisions', items: [...decisions] }], '/api/': API_SIDEBAR, '/': MAIN }

/** All sections, for llms.txt. */
export const SECTIONS = [...MAIN, ...API_SIDEBAR.slice(1)]
