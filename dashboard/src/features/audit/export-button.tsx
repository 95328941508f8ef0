import { Button, Divider, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { PathOf } from '../../api/operations.ts'
import { useSessionWorkspace } from '../../api/session.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { type AuditFilters, queryOf, timesOf } from './audit-filters.ts'
import { VerifyCommand } from './verify-command.tsx'

const PATH: PathOf<'get'> = '/admin/v1/audit/export'
const CSV_PATH: PathOf<'get'> = '/admin/v1/audit/csv'

/** Downloads the matching records as CSV, or a range of the log as JSON lines, to which only the filtered times apply. */
export function ExportButton({ filters }: { readonly filters: AuditFilters }) {
  const { t } = useTranslation('audit')
  const [opened, { open, close }] = useDisclosure()
  const workspace = useWorkspace()
  const current = useSessionWorkspace()
  const times = timesOf(filters)
  const linkTo = (path: string, query: object) => {
    const all = Object.entries({ ...query, ...(workspace !== undefined && { workspace }) })
    const search = new URLSearchParams(all.map(([name, value]) => [name, String(value)])).toString()
    return search ? `${path}?${search}` : path
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('export.label')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('export.title')}>
        <Stack>
          <Text size="sm">{t('export.proofs')}</Text>
          <Text size="sm">{times.from || times.to ? t('export.part') : t('export.whole')}</Text>
          <Button component="a" href={linkTo(PATH, times)} download>
            {t('export.download')}
          </Button>
          <VerifyCommand command={t('export.command', { file: `audit-${current?.id}.ndjson` })} text={t('export.verify')} />
          <Divider />
          <Text size="sm">{t('export.spreadsheet')}</Text>
          <Button component="a" variant="default" href={linkTo(CSV_PATH, queryOf(filters))} download onClick={close}>
            {t('export.csv')}
          </Button>
        </Stack>
      </Modal>
    </>
  )
}
