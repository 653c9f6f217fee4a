// ajisai: a prompt for array computation, and a way to execute files.
//
//   ajisai               the prompt, with history if libedit is installed; end it with ctrl-D
//   ajisai FILE          executes a file ("-": standard input), then prints the stack
//   ajisai -e TEXT       executes a text, then prints the stack
//   ajisai --time N FILE executes each line of a file N times on an empty stack, and prints the shortest time of each
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "interpreter.h"

#ifdef AJISAI_LIBEDIT
#include <editline/readline.h>
#endif

namespace {

using ajisai::Interpreter;
using ajisai::Mistake;

/// Formats a mistake: "2:7: cannot broadcast shapes [3] and [2]", then the line of source and a mark under the position.
std::string explained(const std::string& text, const Mistake& mistake) {
  const size_t at = std::min(mistake.at, text.size());
  const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  const size_t end = std::min(text.find('\n', at), text.size());
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1;
  // Shows at most 60 bytes before the position and 40 from it on; bytes that are not printable ASCII characters become '?'.
  std::string before = text.substr(begin, at - begin), behind = text.substr(at, end - at);
  if (before.size() > 60) before = "..." + before.substr(before.size() - 57);
  if (behind.size() > 40) behind = behind.substr(0, 37) + "...";
  for (std::string* part : {&before, &behind}) {
    for (char& c : *part) c = c >= ' ' && c <= '~' ? c : '?';
  }
  return std::to_string(line) + ":" + std::to_string(at - begin + 1) + ": " + mistake.what() + "\n  " + before + behind + "\n  " +
         std::string(before.size(), ' ') + "^\n";
}

/// Executes a text and prints the output of PRINT, or the mistake. Returns false if there was a mistake.
bool execute(Interpreter& interpreter, const std::string& text) {
  try {
    interpreter.execute(text);
  } catch (const Mistake& mistake) {
    std::fputs(explained(text, mistake).c_str(), stderr);
    return false;
  }
  std::fputs(interpreter.take_output().c_str(), stdout);
  return true;
}

int run_text(const std::string& text) {
  Interpreter interpreter;
  if (!execute(interpreter, text)) return 1;
  const std::string stack = interpreter.stack_text();
  if (!stack.empty()) std::printf("%s\n", stack.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}

/// Reads a line of input; returns false at the end of the input.
bool read_line(const char* prompt, std::string& line) {
#ifdef AJISAI_LIBEDIT
  if (isatty(STDIN_FILENO)) {
    char* typed = readline(prompt);
    if (typed == nullptr) return false;
    line = typed;
    if (!line.empty()) add_history(typed);
    std::free(typed);
    return true;
  }
#endif
  if (isatty(STDIN_FILENO)) std::printf("%s", prompt), std::fflush(stdout);
  return static_cast<bool>(std::getline(std::cin, line));
}

int prompt() {
  Interpreter interpreter;
#ifdef AJISAI_LIBEDIT
  using_history();
#endif
  std::string text, line;
  while (read_line(text.empty() ? "> " : "| ", line)) {
    text += text.empty() ? line : "\n" + line;
    try {
      interpreter.execute(text);
      std::fputs(interpreter.take_output().c_str(), stdout);
      std::printf("%s\n", interpreter.stack_text().c_str());
    } catch (const ajisai::Unfinished&) {
      if (!line.empty()) continue;  // the vector may continue in the next line; an empty line cancels it
      std::printf("the vector was given up\n");
    } catch (const Mistake& mistake) {
      std::fputs(explained(text, mistake).c_str(), stdout);
    }
    std::fflush(stdout);
    text.clear();
  }
  if (isatty(STDIN_FILENO)) std::printf("\n");
  if (!text.empty()) execute(interpreter, text);  // the text ends inside a vector: the message says where the vector begins
  return 0;
}

int time_lines(long times, const std::string& text) {
  using Clock = std::chrono::steady_clock;
  Interpreter interpreter;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    double best = 1e300;
    for (long i = 0; i < times; ++i) {
      const auto begin = Clock::now();
      if (!execute(interpreter, line)) return 1;
      const std::string stack = interpreter.stack_text();
      best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
      interpreter.execute("CLEAR");
    }
    std::printf("%8.2f us  %s\n", best, line.substr(0, 100).c_str());
  }
  return 0;
}

bool read_file(const char* name, std::string& text) {
  if (std::strcmp(name, "-") == 0) {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    return true;
  }
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "ajisai: cannot read %s: %s\n", name, std::strerror(errno));
    return false;
  }
  text.assign(std::istreambuf_iterator<char>(file), {});
  return true;
}

int main_of(int argc, char** argv) {
  std::string text;
  if (argc == 1) return prompt();
  if (argc == 3 && std::strcmp(argv[1], "-e") == 0) return run_text(argv[2]);
  if (argc == 4 && std::strcmp(argv[1], "--time") == 0) {
    const long times = std::strtol(argv[2], nullptr, 10);
    if (times > 0) return read_file(argv[3], text) ? time_lines(times, text) : 1;
  } else if (argc == 2 && (argv[1][0] != '-' || argv[1][1] == '\0')) {
    return read_file(argv[1], text) ? run_text(text) : 1;
  }
  std::fprintf(stderr, "usage: ajisai [FILE | -e TEXT | --time N FILE]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return main_of(argc, argv);
  } catch (const std::exception& error) {  // for example, out of memory
    std::fprintf(stderr, "ajisai: %s\n", error.what());
    return 1;
  }
}
