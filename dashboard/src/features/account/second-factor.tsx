import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { disableSecondFactor, enableSecondFactor, newBackupCodes } from '../../api/auth.ts'
import { refreshPaths } from '../../api/queries.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { BackupCodes } from './backup-codes.tsx'
import { PasswordQuestion } from './password-question.tsx'
import { type NewFactor, SetUp } from './set-up.tsx'

type Step =
  | { readonly kind: 'ask'; readonly what: 'enable' | 'disable' | 'codes' }
  | { readonly kind: 'set-up'; readonly factor: NewFactor }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }

const TITLES = { enable: 'Set up a second factor', disable: 'Turn the second factor off', codes: 'New backup codes' } as const

/** A code from an authenticator app, asked for at each sign-in. Every change of it asks for the password first. */
export function SecondFactor({ enabled }: { readonly enabled: boolean }) {
  const queries = useQueryClient()
  const [step, setStep] = useState<Step>()
  const close = () => {
    setStep(undefined)
    void refreshPaths(queries, ['/admin/v1/session'])
  }
  const answered = async (what: 'enable' | 'disable' | 'codes', password: string) => {
    if (what === 'enable') setStep({ kind: 'set-up', factor: await enableSecondFactor(password) })
    else if (what === 'codes') setStep({ kind: 'codes', codes: (await newBackupCodes(password)).backupCodes })
    else await disableSecondFactor(password).then(close)
  }
  return (
    <Stack align="flex-start">
      <Badge color={enabled ? 'green' : 'gray'} variant="light" tt="none">
        {enabled ? 'on' : 'off'}
      </Badge>
      <Text size="sm">A code from an authenticator app, beside the password, at each sign-in.</Text>
      <Group>
        {enabled ? (
          <>
            <Button variant="default" size="xs" onClick={() => setStep({ kind: 'ask', what: 'codes' })}>
              New backup codes
            </Button>
            <Button variant="default" size="xs" onClick={() => setStep({ kind: 'ask', what: 'disable' })}>
              Turn off
            </Button>
          </>
        ) : (
          <Button size="xs" onClick={() => setStep({ kind: 'ask', what: 'enable' })}>
            Set up
          </Button>
        )}
      </Group>
      <FormModal
        opened={step !== undefined && step.kind !== 'codes'}
        unsaved={step?.kind === 'set-up'}
        onClose={close}
        title={step?.kind === 'ask' ? TITLES[step.what] : 'Second factor'}
        closeOnClickOutside={false}
      >
        {step?.kind === 'ask' && <PasswordQuestion onAnswer={(password) => answered(step.what, password)} />}
        {step?.kind === 'set-up' && (
          <SetUp factor={step.factor} onDone={() => setStep({ kind: 'codes', codes: step.factor.backupCodes })} />
        )}
      </FormModal>
      <BackupCodes codes={step?.kind === 'codes' ? step.codes : undefined} onDone={close} />
    </Stack>
  )
}
