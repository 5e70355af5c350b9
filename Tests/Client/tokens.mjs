// Compares the tokens of scripts: node tokens.mjs SOURCE SERVED…, pairs of files. Prints the first difference.
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";

const compiler = realpathSync(execFileSync("which", ["tsc"], { encoding: "utf8" }).trim());
const ts = createRequire(compiler)("../lib/typescript.js");

function tokens(path) {
  const file = ts.createSourceFile("a.js", readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const found = [];
  const visit = (node) => {
    const children = node.getChildren(file).filter((child) => child.kind < ts.SyntaxKind.FirstJSDocNode);
    if (children.length) children.forEach(visit);
    else found.push(`${ts.SyntaxKind[node.kind]} ${node.getText(file)}`);
  };
  visit(file);
  if (file.parseDiagnostics.length) throw new Error(`${path}: ${file.parseDiagnostics[0].messageText}`);
  return found;
}

const paths = process.argv.slice(2);
for (let i = 0; i < paths.length; i += 2) {
  const [source, served] = [tokens(paths[i]), tokens(paths[i + 1])];
  const different = source.findIndex((token, index) => token !== served[index]);
  if (different >= 0 || source.length !== served.length) {
    console.error(`${paths[i]}: token ${different}: ${source[different]}, served as ${served[different]}`);
    process.exit(1);
  }
}
