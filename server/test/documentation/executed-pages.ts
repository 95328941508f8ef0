/** Pages whose shell blocks run against a demo server, each page in another shell. Blocks that need more are marked `bash`. */
export const EXECUTED_PAGES = [
  'start/quick-start',
  'concepts/permissions',
  'guides/clients',
  'guides/siem',
  'guides/monitor',
  'guides/backup',
  'guides/investigate',
  'guides/sync-knowledge',
  'troubleshooting',
]
