// Applies JSON Patches with the C++ library nlohmann/json.
//
// Each line of the input is an object with "before", "patch" and "after".

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

int main() {
  std::string line;
  for (int number = 0; std::getline(std::cin, line); number++) {
    auto test = nlohmann::json::parse(line);
    auto result = test["before"].patch(test["patch"]);
    if (result != test["after"]) {
      std::cerr << "case " << number << ": " << line << "\nthe result is " << result << "\n";
      return 1;
    }
  }
}
