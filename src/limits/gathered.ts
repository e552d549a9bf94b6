type Waiting<Input, Output> = {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Returns a function that does one thing, by one that does many at once: what comes while it runs waits and goes
 * together when it has ended. So at most one runs at a time, and the busier it is the more go together.
 */
export function gathered<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
): (input: Input) => Promise<Output> {
  let waiting: Waiting<Input, Output>[] = [];
  let isRunning = false;
  const runAll = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      const together = waiting;
      waiting = [];
      await runTogether(run, together);
    }
    isRunning = false;
  };
  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (!isRunning) void runAll(); // it tells its ends to those who wait
    });
}

async function runTogether<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  together: readonly Waiting<Input, Output>[],
): Promise<void> {
  try {
    const outputs = await run(together.map(({ input }) => input));
    for (const [index, { resolve, reject }] of together.entries()) {
      const output = outputs[index];
      if (output === undefined) reject(new Error('no answer'));
      else resolve(output);
    }
  } catch (error) {
    for (const { reject } of together) reject(error);
  }
}
