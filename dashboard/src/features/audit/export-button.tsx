import { Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { PathOf } from '../../api/operations.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { type AuditFilters, timesOf } from './audit-filters.ts'

const PATH: PathOf<'get'> = '/admin/v1/audit/export'

/** Downloads the log as JSON lines. Of the filters only the times apply, because an export is a contiguous range. */
export function ExportButton({ filters }: { readonly filters: AuditFilters }) {
  const [opened, { open, close }] = useDisclosure()
  const workspace = useWorkspace()
  const times = timesOf(filters)
  const query = new URLSearchParams({ ...times, ...(workspace !== undefined && { workspace }) }).toString()
  return (
    <>
      <Button variant="default" onClick={open}>
        Export
      </Button>
      <Modal opened={opened} onClose={close} title="Export audit log">
        <Stack>
          <Text size="sm">
            A file of JSON lines: a header, the records and their signed checkpoint. Verify it without the server with{' '}
            <code>gatehouse audit verify-export</code>.
          </Text>
          <Text size="sm">
            {times.from || times.to
              ? 'Contains the records between the checkpoints around the selected times.'
              : 'Contains the whole log. Set From or Before in the search to export a part.'}
          </Text>
          <Button component="a" href={query ? `${PATH}?${query}` : PATH} download onClick={close}>
            Download
          </Button>
        </Stack>
      </Modal>
    </>
  )
}
