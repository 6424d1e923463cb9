import tap, { type Test } from 'tap'

/**
 * What the files of a worker import as `t` from tap: the test of the file that runs, in place of the
 * root, which ends only once in a process. It has the teardowns and results of this file alone.
 */
let current: Test | undefined

export { current as default }

/** A test that never ends. Between two files the root has nothing to do, and could end itself. */
const worker = new Promise<Test>((resolve) => {
  tap.test('worker', (test) => {
    resolve(test)
    return new Promise(() => {})
  })
})

/**
 * Runs a file as one test, which ends after the tests and teardowns of the file.
 * @param watch gets the test around it, which has the errors of its teardowns too.
 */
export async function runFile(
  file: string,
  watch: (around: Test) => void,
  load: () => Promise<unknown>
): Promise<void> {
  await (await worker).test('files', async (around) => {
    watch(around)
    await around.test(file, async (test) => {
      current = test
      await load()
    })
  })
}
