import { Button, Code, Group, JsonInput, Table } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../ui/copy.tsx'
import { keysIn, type PublicKey, type Values } from './user-token-values.ts'

interface KeySetFieldProps {
  readonly form: UseFormReturnType<Values>
  readonly readOnly: boolean
}

/** Signing keys as a table. They are edited as JSON. */
export function KeySetField({ form, readOnly }: KeySetFieldProps) {
  const { t } = useTranslation('workspace')
  const [editing, { open }] = useDisclosure()
  const keys = keysIn(form.getValues().jwks)
  if (keys && !editing && !form.isDirty('jwks')) {
    return (
      <>
        <KeyTable keys={keys} />
        <Group gap="xs">
          {!readOnly && (
            <Button variant="default" size="xs" onClick={open}>
              {t('tokens.edit')}
            </Button>
          )}
          <CopyButton value={form.getValues().jwks} label={t('tokens.copy')} />
        </Group>
      </>
    )
  }
  return (
    <JsonInput
      label={t('tokens.jwks')}
      description={t('tokens.jwksHint')}
      autosize
      minRows={4}
      maxRows={16}
      required
      readOnly={readOnly}
      {...form.getInputProps('jwks')}
    />
  )
}

function KeyTable({ keys }: { readonly keys: readonly PublicKey[] }) {
  const { t } = useTranslation('workspace')
  const none = t('tokens.none')
  return (
    <Table aria-label={t('tokens.keys')} verticalSpacing={4} maw={760}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('tokens.columns.id')}</Table.Th>
          <Table.Th scope="col">{t('tokens.columns.type')}</Table.Th>
          <Table.Th scope="col">{t('tokens.columns.algorithm')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={JSON.stringify(key)}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{key.kid ? <Code>{key.kid}</Code> : none}</Table.Td>
            <Table.Td>{[key.kty, key.crv].filter(Boolean).join(' ') || none}</Table.Td>
            <Table.Td>{key.alg ?? none}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
