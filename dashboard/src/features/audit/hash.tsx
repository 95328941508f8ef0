import { Group, Text } from '@mantine/core'
import { CopyButton } from '../../ui/copy.tsx'

/** A hash, shortened, with the whole on hover and a button that copies it. */
export const Hash = ({ value, label }: { readonly value: string; readonly label: string }) => (
  <Group gap={4} wrap="nowrap">
    <Text span inherit ff="monospace" truncate title={value}>
      {value.slice(0, 16)}…
    </Text>
    <CopyButton value={value} label={label} />
  </Group>
)
