import fc from 'fast-check';

// A gate before every landing must give the same answer twice; whoever proves or works here draws new cases.
const given = process.env['TIDEGATE_SEED'];
if (given !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) });
