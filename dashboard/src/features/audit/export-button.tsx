import { Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { PathOf } from '../../api/operations.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { type AuditFilters, timesOf } from './audit-filters.ts'

const PATH: PathOf<'get'> = '/admin/v1/audit/export'

/** Downloads the log as JSON lines; of the filters only the times count, or the chain would not be whole. */
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
      <Modal opened={opened} onClose={close} title="Export the log">
        <Stack>
          <Text size="sm">
            JSON lines: a header, the records, and the checkpoint that was signed over them. It verifies by itself, with{' '}
            <code>gatehouse audit verify-export</code>.
          </Text>
          <Text size="sm">
            {times.from || times.to
              ? 'The smallest range between checkpoints around the times of the search.'
              : 'The whole log. Choose times in the search for a part of it.'}
          </Text>
          <Button component="a" href={query ? `${PATH}?${query}` : PATH} download onClick={close}>
            Download
          </Button>
        </Stack>
      </Modal>
    </>
  )
}
