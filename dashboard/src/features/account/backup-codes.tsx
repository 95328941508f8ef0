import { Alert, Button, Code, SimpleGrid, Stack } from '@mantine/core'
import { CopyButton } from '../../ui/copy.tsx'

interface BackupCodesProps {
  readonly codes: readonly string[]
  readonly onDone: () => void
}

/** For the day when the phone is gone; each counts once. */
export function BackupCodes({ codes, onDone }: BackupCodesProps) {
  return (
    <Stack>
      <Alert color="yellow" variant="light">
        Keep these codes: each signs you in once when the app is not at hand. They are shown this once.
      </Alert>
      <SimpleGrid cols={2} spacing="xs">
        {codes.map((code) => (
          <Code key={code}>{code}</Code>
        ))}
      </SimpleGrid>
      <CopyButton value={codes.join('\n')} what="all codes" />
      <Button onClick={onDone}>I have kept them</Button>
    </Stack>
  )
}
