import { Group, Text } from '@mantine/core'
import { CopyButton } from '../../ui/copy.tsx'
import { Link } from '../../ui/link.tsx'

interface NamedIdProps {
  readonly id: string
  /** Undefined: the name is not known, and the id is shown. */
  readonly name: string | undefined
  /** Undefined: the object has no page. */
  readonly to: string | undefined
  readonly search?: Readonly<Record<string, unknown>>
  /** Names the id for the copy button: "key". */
  readonly label: string
}

/** An object by name, with a link to its page and a button that copies its id. */
export const NamedId = ({ id, name, to, search = {}, label }: NamedIdProps) => (
  <Group gap={4} wrap="nowrap">
    {to === undefined ? (
      <Text span inherit ff="monospace" truncate title={id}>
        {name ?? id}
      </Text>
    ) : (
      <Text span inherit truncate title={id}>
        <Link to={to} search={search}>
          {name ?? id}
        </Link>
      </Text>
    )}
    <CopyButton value={id} label={label} />
  </Group>
)
